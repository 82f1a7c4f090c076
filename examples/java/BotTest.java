import beanproto.v1.RefereeOuterClass.BohnanzaView;
import beanproto.v1.RefereeOuterClass.Decision;
import beanproto.v1.RefereeOuterClass.DuelView;
import beanproto.v1.RefereeOuterClass.Move;
import beanproto.v1.RefereeOuterClass.Request;
import com.google.protobuf.ByteString;

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
    }
}
