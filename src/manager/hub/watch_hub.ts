import type { MetricsRegistry, World } from "../../base/mod.ts";
import type { FrameSource } from "../../cache/mod.ts";
import { type HubMessage, type Poster, type SubscriberMessage, type Topic, topicKey } from "./messages.ts";
import { Subscription } from "./subscription.ts";
import { TopicFeed } from "./topic_feed.ts";

/** What a {@link WatchHub} is made of. */
export interface WatchHubOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  /** Where the frames of a topic come from: usually a Reflector. Each call gives another one. */
  source(topic: Topic): FrameSource;
}

/** One group's end of the hub. */
export interface HubConnection {
  /** Takes a message of the group. */
  receive(message: SubscriberMessage): void;
  /** Forgets the group and all that it subscribed to. */
  close(): void;
}

interface Feed {
  readonly topic: Topic;
  readonly feed: TopicFeed;
}

/**
 * Shares one watch a resource among the controller groups of a process.
 *
 * Contract:
 * 1. A topic is watched once, however many groups subscribe, from the first subscription to the last one's end.
 * 2. A group that starts again subscribes anew and gets the whole state.
 * 3. After `shutDown` nothing is watched and nothing is sent.
 */
export class WatchHub {
  readonly #options: WatchHubOptions;
  readonly #feeds = new Map<string, Feed>();
  readonly #closing = new Set<Promise<void>>();
  readonly #lagging;

  constructor(options: WatchHubOptions) {
    this.#options = options;
    this.#lagging = options.metrics.counter({
      name: "kubeloop_hub_lagging_total",
      help: "How often a group took frames so slowly that it was sent the whole state anew.",
      labels: ["group", "resource"],
    });
  }

  /** For how long the server has said nothing about each topic, in milliseconds. */
  get staleness(): readonly { readonly topic: Topic; readonly ms: number | undefined }[] {
    return [...this.#feeds.values()].map(({ topic, feed }) => ({ topic, ms: feed.stalenessMs }));
  }

  /** Connects a group, whose messages go to the returned connection. */
  connect(group: string, port: Poster<HubMessage>): HubConnection {
    const streams = new Map<number, { readonly key: string; readonly subscription: Subscription }>();
    const unsubscribe = (stream: number) => {
      const found = streams.get(stream);
      streams.delete(stream);
      if (found) this.#remove(found.key, found.subscription);
    };
    return {
      receive: (message) => {
        const { stream } = message;
        const found = streams.get(stream);
        switch (message.what) {
          case "subscribe": {
            const subscription = new Subscription(stream, port);
            const key = topicKey(message.topic);
            streams.set(stream, { key, subscription });
            this.#feedOf(key, message.topic, group).add(subscription);
            break;
          }
          case "unsubscribe":
            unsubscribe(stream);
            break;
          case "done":
            found?.subscription.done(message.bytes);
            break;
          case "again":
            if (found) this.#feeds.get(found.key)?.feed.again(found.subscription);
        }
      },
      close: () => [...streams.keys()].forEach(unsubscribe),
    };
  }

  /** Ends all watches; resolves when nothing is under way any more. */
  async shutDown(): Promise<void> {
    for (const key of [...this.#feeds.keys()]) this.#close(key);
    await Promise.all(this.#closing);
  }

  #feedOf(key: string, topic: Topic, group: string): TopicFeed {
    let found = this.#feeds.get(key);
    if (!found) {
      const { plural } = topic.resource;
      const feed = new TopicFeed({
        log: this.#options.world.log.named("hub"),
        source: () => this.#options.source(topic),
        onLagging: () => this.#lagging.inc([group, plural]),
      });
      this.#feeds.set(key, found = { topic, feed });
    }
    return found.feed;
  }

  #remove(key: string, subscription: Subscription): void {
    const found = this.#feeds.get(key);
    if (!found) return;
    found.feed.remove(subscription);
    if (found.feed.size === 0) this.#close(key);
  }

  #close(key: string): void {
    const found = this.#feeds.get(key);
    if (!found) return;
    this.#feeds.delete(key);
    const closed = found.feed.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }
}
