import type { MetricsRegistry, World } from "../base/mod.ts";
import type { ClientBuilder } from "../client/mod.ts";
import { EventBroadcaster, type EventRecorder } from "../events/mod.ts";

/** Options of {@link Recorders}. */
export interface RecordersOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly clients: ClientBuilder;
}

/** From which `-v` on events are logged too, as upstream's workload controllers have it. */
const EVENT_VERBOSITY = 3;

/** The event recorders of a process, or of a thread: one broadcaster for each client. */
export class Recorders implements AsyncDisposable {
  readonly #options: RecordersOptions;
  readonly #broadcasters = new Map<string, EventBroadcaster>();
  readonly #background: Promise<void>[] = [];
  readonly #stop = new AbortController();

  constructor(options: RecordersOptions) {
    this.#options = options;
  }

  /** A recorder whose events carry `component` as their source, and are sent by the client called `client`. */
  recorder(component: string, client: string): EventRecorder {
    let broadcaster = this.#broadcasters.get(client);
    if (!broadcaster) {
      const { world, metrics, clients } = this.#options;
      broadcaster = new EventBroadcaster({ world, metrics, client: clients.client(client) });
      this.#broadcasters.set(client, broadcaster);
      this.#background.push(broadcaster.run(this.#stop.signal));
    }
    return broadcaster.recorder(component, { verbosity: EVENT_VERBOSITY });
  }

  /** Ends them; resolves once they have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#background);
  }
}
