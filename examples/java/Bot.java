import beanproto.v1.RefereeGrpc;
import beanproto.v1.RefereeOuterClass.BohnanzaView;
import beanproto.v1.RefereeOuterClass.BotMessage;
import beanproto.v1.RefereeOuterClass.Fault;
import beanproto.v1.RefereeOuterClass.Hello;
import beanproto.v1.RefereeOuterClass.MatchEnd;
import beanproto.v1.RefereeOuterClass.MatchStart;
import beanproto.v1.RefereeOuterClass.Move;
import beanproto.v1.RefereeOuterClass.RefereeMessage;
import beanproto.v1.RefereeOuterClass.Request;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.nio.NioEventLoopGroup;
import java.net.UnixDomainSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** A bot in Java: it plants what fits and takes gifts. */
public class Bot implements StreamObserver<RefereeMessage> {
    private final Map<Integer, Integer> seats = new HashMap<>(); // the own seat in each match
    private final CountDownLatch ended = new CountDownLatch(1);
    private StreamObserver<BotMessage> referee;

    /** Answer one decision. The comments in referee.proto say which actions each may have. */
    static Move.Builder decide(BohnanzaView view, int seat) {
        Move.Builder move = Move.newBuilder();
        ByteString fields = view.getFields(seat);
        switch (view.getDecision()) {
            case DECISION_PLANT_FIRST: {
                int field = placeFor(fields, view.getHand().byteAt(0));
                if (field < 0) return harvestFewest(view, fields, move);
                move.getPlantBuilder().setField(field);
                return move;
            }
            case DECISION_PLANT_SECOND: {
                int field = growing(fields, view.getHand().byteAt(0));
                if (field < 0) move.getPassBuilder();
                else move.getPlantBuilder().setField(field);
                return move;
            }
            case DECISION_PLANT_ASIDE: {
                int field = placeFor(fields, view.getAside(seat).byteAt(0));
                if (field < 0) return harvestFewest(view, fields, move);
                move.getPlantAsideBuilder().setCard(0).setField(field);
                return move;
            }
            case DECISION_TRADE:
                move.getStopBuilder();
                return move;
            case DECISION_ANSWER: {
                ByteString gives = view.getOffer().getGives();
                boolean useful = !gives.isEmpty() && view.getOffer().getWants().isEmpty();
                for (byte kind : gives.toByteArray()) useful = useful && growing(fields, kind) >= 0;
                if (useful) move.getAcceptBuilder();
                else move.getDeclineBuilder();
                return move;
            }
            case DECISION_PICK:
                move.getRefuseBuilder();
                return move;
            default:
                move.getPassBuilder();
                return move;
        }
    }

    /** Where a card goes: where its kind grows, else to an empty field; -1 if no field takes it. */
    private static int placeFor(ByteString fields, int kind) {
        int field = growing(fields, kind);
        return field < 0 ? growing(fields, 0) : field;
    }

    /** The field with beans of a kind. The referee sends kind and count of each field as two bytes. */
    private static int growing(ByteString fields, int kind) {
        for (int field = 0; 2 * field < fields.size(); field++) if (fields.byteAt(2 * field) == kind) return field;
        return -1;
    }

    private static Move.Builder harvestFewest(BohnanzaView view, ByteString fields, Move.Builder move) {
        int fewest = view.getHarvestable().byteAt(0);
        for (byte field : view.getHarvestable().toByteArray())
            if (fields.byteAt(2 * field + 1) < fields.byteAt(2 * fewest + 1)) fewest = field;
        move.getHarvestBuilder().setField(fewest);
        return move;
    }

    @Override
    public void onNext(RefereeMessage message) {
        for (MatchStart start : message.getStartsList()) seats.put(start.getMatch(), start.getSeat());
        for (Fault fault : message.getFaultsList())
            System.out.printf("match %d, decision %d: %s%n", fault.getMatch(), fault.getDecision(), fault.getReason());
        BotMessage.Builder answer = BotMessage.newBuilder();
        for (Request request : message.getRequestsList()) answer.addMoves(answer(request));
        if (answer.getMovesCount() > 0) referee.onNext(answer.build());
        for (MatchEnd end : message.getEndsList()) seats.remove(end.getMatch());
    }

    private Move.Builder answer(Request request) {
        Move.Builder move;
        try {
            move = decide(request.getBohnanza(), seats.get(request.getMatch()));
        } catch (RuntimeException error) {
            error.printStackTrace();
            move = Move.newBuilder().setError(error.toString());
        }
        return move.setMatch(request.getMatch()).setDecision(request.getDecision());
    }

    @Override
    public void onError(Throwable error) {
        System.out.println(error);
        ended.countDown();
    }

    @Override
    public void onCompleted() {
        ended.countDown();
    }

    private void play() throws Exception {
        String path = System.getenv("BEANLEAGUE_SOCKET").replaceFirst("^unix:", "");
        NioEventLoopGroup loop = new NioEventLoopGroup(1);
        ManagedChannel channel = NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(path))
                .channelFactory(Bot::socket)
                .eventLoopGroup(loop)
                .directExecutor() // decide in the thread that reads: one for all
                .usePlaintext()
                .overrideAuthority("localhost")
                .build();
        referee = RefereeGrpc.newStub(channel).play(this);
        Hello hello = Hello.newBuilder().setSdk("java").setProtocol(2).build();
        referee.onNext(BotMessage.newBuilder().setHello(hello).build());
        System.out.println("ready");
        ended.await();
    }

    private static UnixChannel socket() {
        try {
            return new UnixChannel();
        } catch (java.io.IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    public static void main(String[] arguments) throws Exception {
        new Bot().play();
        System.exit(0);
    }
}
