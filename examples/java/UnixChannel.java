import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.FileRegion;
import io.netty.channel.nio.AbstractNioByteChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** A unix socket of Java's own for Netty, whose own ones need a native library that Debian does not have. */
public class UnixChannel extends AbstractNioByteChannel {
    private final ChannelConfig config = new DefaultChannelConfig(this);
    private boolean inputShut;

    public UnixChannel() throws IOException {
        super(null, SocketChannel.open(StandardProtocolFamily.UNIX));
    }

    @Override
    protected SocketChannel javaChannel() {
        return (SocketChannel) super.javaChannel();
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isActive() {
        return javaChannel().isOpen() && javaChannel().isConnected();
    }

    @Override
    protected boolean doConnect(SocketAddress remote, SocketAddress local) throws IOException {
        boolean connected = javaChannel().connect(remote);
        if (!connected) selectionKey().interestOps(SelectionKey.OP_CONNECT);
        return connected;
    }

    @Override
    protected void doFinishConnect() throws IOException {
        javaChannel().finishConnect();
    }

    @Override
    protected int doReadBytes(ByteBuf buffer) throws IOException {
        return buffer.writeBytes(javaChannel(), buffer.writableBytes());
    }

    @Override
    protected int doWriteBytes(ByteBuf buffer) throws IOException {
        return buffer.readBytes(javaChannel(), buffer.readableBytes());
    }

    @Override
    protected long doWriteFileRegion(FileRegion region) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected ChannelFuture shutdownInput() {
        inputShut = true;
        return newSucceededFuture();
    }

    @Override
    protected boolean isInputShutdown0() {
        return inputShut;
    }

    @Override
    protected void doBind(SocketAddress local) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void doDisconnect() throws Exception {
        doClose();
    }

    @Override
    protected void doClose() throws Exception {
        javaChannel().close();
    }

    @Override
    protected SocketAddress localAddress0() {
        return null;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return null;
    }
}
