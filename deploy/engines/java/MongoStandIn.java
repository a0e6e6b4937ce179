import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.ServerVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import io.netty.channel.Channel;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.h2.mvstore.MVStore;

/** MongoStandIn {host} {port} {file}: the protocol of MongoDB 5.0 over one file, in which every acknowledged write is found again. */
public final class MongoStandIn {
  public static void main(String[] args) {
    // The store's own thread commits once a second, in the middle of commands: off. Each write commits itself, below.
    MVStore store = new MVStore.Builder().fileName(args[2]).autoCommitDisabled().cacheSize(32).open();
    store.setVersionsToKeep(0);
    store.setRetentionTime(0); // else the room of old versions is used again only after 45 seconds
    MongoServer server = new MongoServer(new CommittingBackend(store).version(ServerVersion.MONGO_5_0));
    server.bind(args[0], Integer.parseInt(args[1]));
    System.out.println("listening on " + server.getConnectionString());
  }

  /** Commits before it answers. A kill -9 takes whole commands only: while one writes, no other runs and nobody commits its half. */
  private static final class CommittingBackend extends H2Backend {
    private static final Set<String> READS = Set.of(
        "aggregate", "buildinfo", "collstats", "connectionstatus", "count", "dbstats", "distinct", "endsessions", "explain", "find",
        "getlasterror", "getmore", "getparameter", "hello", "hostinfo", "ismaster", "killcursors", "listcollections", "listdatabases",
        "listindexes", "ping", "serverstatus", "whatsmyuri");

    private final ReadWriteLock commands = new ReentrantReadWriteLock(true);

    CommittingBackend(MVStore store) {
      super(store);
    }

    @Override
    public Document handleMessage(MongoMessage message) {
      return run(message.getDocument(), () -> super.handleMessage(message));
    }

    @Override
    public Document handleCommand(Channel channel, String database, String command, Document query) {
      return run(query, () -> super.handleCommand(channel, database, command, query));
    }

    private Document run(Document command, Supplier<Document> answer) {
      if (isRead(command)) {
        commands.readLock().lock();
        try {
          return answer.get();
        } finally {
          commands.readLock().unlock();
        }
      }
      commands.writeLock().lock();
      try {
        return answer.get();
      } finally {
        getMvStore().commit();
        commands.writeLock().unlock();
      }
    }

    private static boolean isRead(Document command) {
      return READS.contains(command.keySet().iterator().next().toLowerCase()) && !writesItsResult(command);
    }

    private static boolean writesItsResult(Document command) {
      return command.get("pipeline") instanceof Collection<?> stages
          && stages.stream().anyMatch(stage -> stage instanceof Document document && (document.containsKey("$out") || document.containsKey("$merge")));
    }
  }
}
