import beanproto.v1.RefereeGrpc;
import beanproto.v1.RefereeOuterClass.BohnanzaView;
import beanproto.v1.RefereeOuterClass.BotMessage;
import beanproto.v1.RefereeOuterClass.Decision;
import beanproto.v1.RefereeOuterClass.Fault;
import beanproto.v1.RefereeOuterClass.Hello;
import beanproto.v1.RefereeOuterClass.MatchEnd;
import beanproto.v1.RefereeOuterClass.MatchStart;
import beanproto.v1.RefereeOuterClass.Move;
import beanproto.v1.RefereeOuterClass.OpenOffer;
import beanproto.v1.RefereeOuterClass.RefereeMessage;
import beanproto.v1.RefereeOuterClass.Request;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.nio.NioEventLoopGroup;
import java.net.UnixDomainSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** A bot in Java for every game: it takes gifts of kinds that it grows, and leaves the rest to the default action. */
public class Bot implements StreamObserver<RefereeMessage> {
    private final Map<Integer, Integer> seats = new HashMap<>(); // the own seat in each match
    private final CountDownLatch ended = new CountDownLatch(1);
    private StreamObserver<BotMessage> referee;

    /**
     * Answer one decision. The request has the view of its game, here that of the trading games, for which Table has names,
     * fields and legal actions; the comments in referee.proto say what each view shows, and which decisions there are.
     */
    static Move.Builder decide(Request request, int seat) {
        Move.Builder move = Move.newBuilder();
        BohnanzaView view = request.getBohnanza(); // empty in the other games
        if (view.getDecision() == Decision.DECISION_ANSWER && isWantedGift(new Table(view, seat)))
            for (Move each : new Table(view, seat).legal()) if (each.hasAccept()) return each.toBuilder();
        move.getDefaultActionBuilder();
        return move;
    }

    /** Whether the offer is a gift of kinds that all grow in the own fields. */
    private static boolean isWantedGift(Table table) {
        List<String> growing = table.fields(table.seat()).stream().map(Table.Field::kind).toList();
        OpenOffer offer = table.view().getOffer();
        return offer.getWants().isEmpty() && growing.containsAll(Table.names(offer.getGives()));
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
            move = decide(request, seats.get(request.getMatch()));
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
