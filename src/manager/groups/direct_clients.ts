import type { World } from "../../base/mod.ts";
import {
  AccountToken,
  accountTransport,
  type Dial,
  type HttpTransport,
  httpTransport,
  type Transport,
  writeFence,
} from "../../client/mod.ts";
import { type FenceReading, FenceView } from "../../election/mod.ts";
import type { Port } from "./port.ts";

/** What {@link DirectClients} needs. */
export interface DirectClientsOptions {
  readonly world: World;
  readonly server: string;
  readonly port: Port;
  /** Reads the fence that must be open for writes. */
  readonly readFence: FenceReading;
  /** The program's name. */
  readonly program: string;
  /** Replaces opening real connections. */
  readonly dial?: Dial;
}

/**
 * Sends the requests of a group whose only permission is to reach the API server: as its own controllers' accounts,
 * with tokens from the main thread.
 *
 * Contract:
 * 1. A token is asked for when one is needed, kept for as long as the main thread says, and given up after a 401.
 * 2. Connection settings are requested before each connection is opened: authorities may change.
 * 3. Right before the bytes of a request that writes leave, the fence is asked: once the lease is lost, or this thread
 *    is given up, it writes no more.
 * 4. Clocks are compared with each token, and after each refusal: a comparison that took long must not keep it from
 *    writing.
 */
export class DirectClients {
  readonly #world: World;
  readonly #program: string;
  readonly #port: Port;
  readonly #fence: FenceView;
  /** Nobody's: it holds no token. */
  readonly #anonymous: HttpTransport;
  readonly #transports = new Map<string, Transport>();
  #comparing: Promise<void> | undefined;

  constructor({ world, program, server, port, readFence, dial }: DirectClientsOptions) {
    this.#world = world;
    this.#program = program;
    this.#port = port;
    this.#fence = new FenceView(readFence, world.clock);
    const tls = () => port.ask({ about: "tls" });
    const beforeWrite = writeFence(() => this.#mayWrite());
    this.#anonymous = httpTransport({ world, server, tls, beforeWrite, dial });
  }

  /** Connections in use, connections idle, and requests waiting. */
  counts(): ReturnType<HttpTransport["counts"]> {
    return this.#anonymous.counts();
  }

  /** The transport of the client called `name`. */
  transport(name: string): Transport {
    let transport = this.#transports.get(name);
    if (!transport) this.#transports.set(name, transport = this.#transportAs(name));
    return transport;
  }

  #transportAs(name: string): Transport {
    const issue = async (signal: AbortSignal, refused?: string) => {
      const asking = this.#port.ask({ about: "token", client: name, refused }, signal);
      const [token] = await Promise.all([asking, this.#compareClocks()]);
      return token;
    };
    const token = new AccountToken({ world: this.#world, name, issue });
    return accountTransport(name, { program: this.#program, anonymous: this.#anonymous.exchange, token });
  }

  #mayWrite(): boolean {
    const { isOpen } = this.#fence;
    if (!isOpen) this.#compareClocks().catch(() => {}); // without an answer, it stays refused
    return isOpen;
  }

  #compareClocks(): Promise<void> {
    return this.#comparing ??= this.#askClock().finally(() => this.#comparing = undefined);
  }

  async #askClock(): Promise<void> {
    const askedMs = this.#world.clock.monotonicMs();
    const { heardMs } = await this.#port.ask({ about: "clock" });
    this.#fence.compare(askedMs, heardMs);
  }
}
