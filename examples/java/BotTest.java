import beanproto.v1.RefereeOuterClass.BohnanzaView;
import beanproto.v1.RefereeOuterClass.Decision;
import com.google.protobuf.ByteString;

/** Run by test.sh. */
public class BotTest {
    private static final ByteString FIELDS = bytes(9, 2, 3, 1); // two blue beans and a red one

    private static BohnanzaView.Builder view(Decision decision) {
        return BohnanzaView.newBuilder().setDecision(decision).addFields(FIELDS).setHarvestable(bytes(0, 1));
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
        BohnanzaView red = view(Decision.DECISION_PLANT_FIRST).setHand(bytes(3, 9)).build();
        check(Bot.decide(red, 0).getPlant().getField() == 1, "a card goes where its kind grows");

        BohnanzaView soy = view(Decision.DECISION_PLANT_FIRST).setHand(bytes(5)).build();
        check(Bot.decide(soy, 0).getHarvest().getField() == 1, "the field with the fewest beans is harvested");

        BohnanzaView.Builder gift = view(Decision.DECISION_ANSWER);
        gift.getOfferBuilder().setGives(bytes(9));
        check(Bot.decide(gift.build(), 0).hasAccept(), "a gift that grows in the own fields is accepted");
        gift.getOfferBuilder().setWants(bytes(3));
        check(Bot.decide(gift.build(), 0).hasDecline(), "a trade is declined");
    }
}
