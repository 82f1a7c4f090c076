import beanproto.v1.RefereeOuterClass.Answer;
import beanproto.v1.RefereeOuterClass.BohnanzaView;
import beanproto.v1.RefereeOuterClass.Kind;
import beanproto.v1.RefereeOuterClass.Move;
import beanproto.v1.RefereeOuterClass.OpenAnswer;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The table of a trading game in words: kinds by name, fields, legal actions, in place of the bytes of referee.proto. */
public record Table(BohnanzaView view, int seat) {
    /** A bean field; the kind of an empty one is "". */
    public record Field(String kind, int count) {}

    /** The name of a kind by its number, such as "blue". */
    public static String name(int kind) {
        return kind == 0 ? "" : Kind.forNumber(kind).name().substring("KIND_".length()).toLowerCase(Locale.ROOT);
    }

    /** The names of kinds, such as those of getHand, getTurned, getOffer().getGives and getAside(seat). */
    public static List<String> names(ByteString kinds) {
        List<String> names = new ArrayList<>();
        for (byte kind : kinds.toByteArray()) names.add(name(kind));
        return names;
    }

    /** The fields of a seat. */
    public List<Field> fields(int seat) {
        ByteString bytes = view.getFields(seat);
        List<Field> fields = new ArrayList<>();
        for (int at = 0; at < bytes.size(); at += 2)
            fields.add(new Field(name(bytes.byteAt(at)), bytes.byteAt(at + 1) & 0xff));
        return fields;
    }

    /** Positions of cards of these kinds in the hand, ascending; null if it lacks one. */
    public List<Integer> positions(ByteString kinds) {
        List<String> wanted = new ArrayList<>(names(kinds)), hand = names(view.getHand());
        List<Integer> found = new ArrayList<>();
        for (int at = 0; at < hand.size(); at++) if (wanted.remove(hand.get(at))) found.add(at);
        return wanted.isEmpty() ? found : null;
    }

    /** All legal actions, but for offers, calls and counters, and one way to give the kinds that are wanted. */
    public List<Move> legal() {
        List<Move.Builder> moves = new ArrayList<>();
        switch (view.getDecision()) {
            case DECISION_PLANT_FIRST -> plant(moves);
            case DECISION_PLANT_SECOND -> {
                plant(moves);
                add(moves).getPassBuilder();
            }
            case DECISION_TRADE -> add(moves).getStopBuilder();
            case DECISION_ANSWER -> answer(moves);
            case DECISION_PICK -> pick(moves);
            case DECISION_PLANT_ASIDE -> {
                List<String> aside = names(view.getAside(seat));
                for (int card = 0; card < aside.size(); card++)
                    for (int field : places(aside.get(card))) add(moves).getPlantAsideBuilder().setCard(card).setField(field);
            }
            case DECISION_INTERLUDE -> add(moves).getPassBuilder();
            default -> {}
        }
        for (byte field : view.getHarvestable().toByteArray()) add(moves).getHarvestBuilder().setField(field);
        if (view.getCanBuy()) add(moves).getBuyFieldBuilder();
        return moves.stream().map(Move.Builder::build).toList();
    }

    private static Move.Builder add(List<Move.Builder> moves) {
        moves.add(Move.newBuilder());
        return moves.get(moves.size() - 1);
    }

    private List<Integer> places(String kind) {
        List<Field> own = fields(seat);
        List<Integer> places = new ArrayList<>();
        for (int at = 0; at < own.size(); at++)
            if (own.get(at).count() == 0 || own.get(at).kind().equals(kind)) places.add(at);
        return places;
    }

    private void plant(List<Move.Builder> moves) {
        for (int field : places(name(view.getHand().byteAt(0)))) add(moves).getPlantBuilder().setField(field);
    }

    private void answer(List<Move.Builder> moves) {
        add(moves).getDeclineBuilder();
        ByteString wants = view.getOffer().getWants();
        List<Integer> hand = positions(wants);
        if (hand != null && !(wants.isEmpty() && view.getOffer().getGives().isEmpty())) add(moves).getAcceptBuilder().addAllHand(hand);
    }

    private void pick(List<Move.Builder> moves) {
        add(moves).getRefuseBuilder();
        for (OpenAnswer each : view.getAnswersList()) {
            List<Integer> hand = each.getAnswer() == Answer.ANSWER_COUNTER ? positions(each.getWants()) : List.of();
            if (hand != null && each.getAnswer() != Answer.ANSWER_DECLINE)
                add(moves).getPickBuilder().setSeat(each.getSeat()).addAllHand(hand);
        }
    }
}
