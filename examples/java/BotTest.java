import beanproto.v1.RefereeOuterClass.BohnanzaView;
import beanproto.v1.RefereeOuterClass.Decision;
import beanproto.v1.RefereeOuterClass.DuelView;
import beanproto.v1.RefereeOuterClass.Move;
import beanproto.v1.RefereeOuterClass.Request;
import com.google.protobuf.ByteString;
import java.util.List;

/** Run by test.sh. */
public class BotTest {
    private static final ByteString FIELDS = bytes(9, 2, 3, 1); // two blue beans and a red one

    private static Move.Builder decide(BohnanzaView.Builder view) {
        return Bot.decide(Request.newBuilder().setBohnanza(view).build(), 0);
    }

    private static ByteString bytes(int... numbers) {
        byte[] values = new byte[numbers.length];
        for (int i = 0; i < numbers.length; i++) values[i] = (byte) numbers[i];
        return ByteString.copyFrom(values);
    }

    private static void check(boolean holds, String claim) {
        if (!holds) throw new AssertionError(claim);
        System.out.println("ok: " + claim);
    }

    public static void main(String[] arguments) {
        BohnanzaView.Builder gift = BohnanzaView.newBuilder().setDecision(Decision.DECISION_ANSWER).addFields(FIELDS);
        gift.getOfferBuilder().setGives(bytes(9));
        check(decide(gift).hasAccept(), "a gift that grows in the own fields is accepted");
        gift.getOfferBuilder().setWants(bytes(3));
        check(decide(gift).hasDefaultAction(), "a trade is left to the default action");
        Request duel = Request.newBuilder().setDuel(DuelView.getDefaultInstance()).build();
        check(Bot.decide(duel, 0).hasDefaultAction(), "and so is all else, in any game");

        check(Table.names(bytes(9, 4)).equals(List.of("blue", "black_eyed")), "kinds have names");
        BohnanzaView.Builder second = BohnanzaView.newBuilder().addFields(FIELDS).setHand(bytes(3)).setHarvestable(bytes(0));
        Table planting = new Table(second.setDecision(Decision.DECISION_PLANT_SECOND).build(), 0);
        check(planting.fields(0).equals(List.of(new Table.Field("blue", 2), new Table.Field("red", 1))), "fields have kind and count");
        List<Move> legal = planting.legal();
        check(legal.size() == 3 && legal.get(0).getPlant().getField() == 1 && legal.get(1).hasPass() && legal.get(2).hasHarvest(),
                "legal actions plant where the kind grows, pass, and harvest what may be");
        BohnanzaView.Builder trade = gift.clone().setHand(bytes(3, 5, 9));
        trade.getOfferBuilder().setWants(bytes(9, 3));
        check(new Table(trade.build(), 0).legal().get(1).getAccept().getHandList().equals(List.of(0, 2)), "what is wanted is given");
        check(new Table(trade.setHand(bytes(3, 5)).build(), 0).legal().size() == 1, "what is missing is not");
    }
}
