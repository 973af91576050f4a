import type { World } from "../../base/mod.ts";
import {
  AccountToken,
  accountTransport,
  type Dial,
  type Exchange,
  httpTransport,
  type Transport,
  writeFence,
} from "../../client/mod.ts";
import { FenceView } from "../../election/mod.ts";
import type { Port } from "./port.ts";

/** What {@link DirectClients} are made of. */
export interface DirectClientsOptions {
  readonly world: World;
  readonly server: string;
  readonly port: Port;
  /** The memory of the process's fence. */
  readonly fence: SharedArrayBuffer;
  /** Instead of opening real connections. */
  readonly dial?: Dial;
}

/**
 * How a group that may reach the API server, and nothing else, sends its requests: as the accounts of its own controllers, with
 * tokens that the main thread gives it.
 *
 * Contract:
 * 1. A token is asked for when one is needed, kept for as long as the main thread says, and given up after a 401.
 * 2. What connections are made with is asked for before each is opened: authorities may change.
 * 3. Right before the bytes of a request that writes leave, the process's fence is asked; once the lease is lost no thread writes.
 */
export class DirectClients {
  readonly #world: World;
  readonly #port: Port;
  readonly #fence: FenceView;
  readonly #anonymous: Exchange;
  readonly #transports = new Map<string, Transport>();

  constructor({ world, server, port, fence, dial }: DirectClientsOptions) {
    this.#world = world;
    this.#port = port;
    this.#fence = new FenceView(fence, world.clock);
    const tls = () => port.ask({ about: "tls" });
    const beforeWrite = writeFence(() => this.#fence.isOpen);
    this.#anonymous = httpTransport({ world, server, tls, beforeWrite, dial }).exchange;
  }

  /** What the client called `name` sends through. */
  transport(name: string): Transport {
    let transport = this.#transports.get(name);
    if (!transport) this.#transports.set(name, transport = this.#transportAs(name));
    return transport;
  }

  #transportAs(name: string): Transport {
    const issue = async (signal: AbortSignal, refused?: string) => {
      const askedMs = this.#world.clock.monotonicMs();
      const { heardMs, ...token } = await this.#port.ask({ about: "token", client: name, refused }, signal);
      this.#fence.compare(askedMs, heardMs);
      return token;
    };
    const token = new AccountToken({ world: this.#world, name, issue });
    return accountTransport(name, { anonymous: this.#anonymous, token });
  }
}
