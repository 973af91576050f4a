import type { MetricsRegistry, World } from "../../base/mod.ts";
import type { FrameSource } from "../../cache/mod.ts";
import { type HubMessage, type Poster, type SubscriberMessage, type Topic, topicKey } from "./messages.ts";
import { Subscription } from "./subscription.ts";
import { TopicFeed } from "./topic_feed.ts";

/** Options of {@link WatchHub}. */
export interface WatchHubOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  /** A new source of a topic's frames, usually a Reflector. */
  source(topic: Topic): FrameSource;
  /**
   * Resolves when every group has subscribed. Readers of metadata wait for it, in order to share a watch with readers
   * of whole objects.
   */
  readonly whenAllSubscribed?: Promise<void>;
}

/** One group's end of the hub. */
export interface HubConnection {
  /** Handles a message of the group. */
  receive(message: SubscriberMessage): void;
  /** Forgets the group and its subscriptions. */
  close(): void;
}

interface Feed {
  readonly key: string;
  readonly feed: TopicFeed;
}

/** One subscription of one group. */
interface Stream {
  readonly topic: Topic;
  readonly subscription: Subscription;
  /** Absent while it waits for the others. */
  feed?: Feed;
}

/**
 * Shares one watch per resource among the controller groups of a process.
 *
 * Contract:
 * 1. A topic is watched once, however many groups subscribe, from the first subscription to the last one's end.
 * 2. A subscription to metadata only is served by the watch of one that reads all, where there is one.
 * 3. A group that starts again subscribes again and gets the whole state.
 * 4. After `shutDown` nothing is watched and nothing is sent.
 */
export class WatchHub {
  readonly #options: WatchHubOptions;
  readonly #feeds = new Map<string, Feed>();
  readonly #closing = new Set<Promise<void>>();
  readonly #waiting = new Set<Stream>();
  readonly #lagging;
  #allSubscribed = false;

  constructor(options: WatchHubOptions) {
    this.#options = options;
    this.#lagging = options.metrics.counter({
      name: "kubeloop_hub_lagging_total",
      help: "How often a group took frames so slowly that it was sent the whole state anew.",
      labels: ["group", "resource"],
    });
    void (options.whenAllSubscribed ?? Promise.resolve()).then(() => this.#admitWaiting());
  }

  /** Connects a group; its messages go to the returned connection. */
  connect(group: string, port: Poster<HubMessage>): HubConnection {
    const streams = new Map<number, Stream>();
    const unsubscribe = (id: number) => {
      const stream = streams.get(id);
      streams.delete(id);
      if (stream) this.#remove(stream);
    };
    return {
      receive: (message) => {
        const stream = streams.get(message.stream);
        switch (message.what) {
          case "subscribe": {
            const { topic } = message;
            const isMetadataOnly = topic.metadataOnly ?? false;
            const subscription = new Subscription(port, { group, stream: message.stream, isMetadataOnly });
            const added: Stream = { topic, subscription };
            streams.set(message.stream, added);
            this.#lagging.touch([group, topic.resource.plural]);
            if (isMetadataOnly && !this.#allSubscribed) this.#waiting.add(added);
            else this.#add(added);
            break;
          }
          case "unsubscribe":
            unsubscribe(message.stream);
            break;
          case "done":
            stream?.subscription.done(message.bytes);
            break;
          case "again":
            stream?.feed?.feed.again(stream.subscription);
        }
      },
      close: () => [...streams.keys()].forEach(unsubscribe),
    };
  }

  /** Ends all watches; resolves when nothing is in progress. */
  async shutDown(): Promise<void> {
    this.#waiting.clear();
    for (const feed of [...this.#feeds.values()]) this.#close(feed);
    await Promise.all(this.#closing);
  }

  #admitWaiting(): void {
    this.#allSubscribed = true;
    for (const stream of this.#waiting) this.#add(stream);
    this.#waiting.clear();
  }

  #add(stream: Stream): void {
    stream.feed = this.#feedOf(stream.topic);
    stream.feed.feed.add(stream.subscription);
  }

  /** The feed of the topic's whole objects if there is one, otherwise the topic's own. */
  #feedOf(topic: Topic): Feed {
    const whole = topic.metadataOnly && this.#feeds.get(topicKey({ ...topic, metadataOnly: false }));
    if (whole) return whole;
    const key = topicKey(topic);
    let found = this.#feeds.get(key);
    if (!found) {
      const { world } = this.#options;
      const feed = new TopicFeed({
        world: { clock: world.clock, log: world.log.named("hub") },
        source: () => this.#options.source(topic),
        onLagging: ({ group }) => this.#lagging.inc([group, topic.resource.plural]),
      });
      this.#feeds.set(key, found = { key, feed });
    }
    return found;
  }

  #remove(stream: Stream): void {
    const { feed, subscription } = stream;
    this.#waiting.delete(stream);
    if (!feed) return;
    feed.feed.remove(subscription);
    if (feed.feed.size === 0) this.#close(feed);
  }

  #close(feed: Feed): void {
    if (this.#feeds.get(feed.key) !== feed) return;
    this.#feeds.delete(feed.key);
    const closed = feed.feed.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }
}
