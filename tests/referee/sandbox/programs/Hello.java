// Answers one message over its socket in capitals, after some work with threads, timers, files and memory.
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

public class Hello {
    public static void main(String[] arguments) throws Exception {
        Thread thread = new Thread(() -> new SecureRandom().nextInt());
        thread.start();
        thread.join();
        Files.readAllBytes(Path.of("Hello.class"));
        List<byte[]> memory = new ArrayList<>();
        for (int n = 0; n < 200; n++) memory.add(new byte[100_000]);
        memory = null;
        System.gc();
        Thread.sleep(10);
        String path = System.getenv("BEANLEAGUE_SOCKET").replaceFirst("^unix:", "");
        try (SocketChannel socket = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            ByteBuffer message = ByteBuffer.allocate(100);
            int length = socket.read(message);
            String text = new String(message.array(), 0, length);
            socket.write(ByteBuffer.wrap(text.toUpperCase().getBytes()));
        }
    }
}
