/** Our cloud-controller-manager without a process of its own, whose start takes more of the processor than most scenarios do. */
import { type Clock, MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { mainConfig } from "../../src/cli/manager_config.ts";
import { clientsOf } from "../../src/cli/process_clients.ts";
import { fetchTransport } from "../../src/client/mod.ts";
import {
  CLOUD_CONTROLLER_MANAGER,
  fileOrigins,
  managerFlags,
  managerOptions,
  runManagerProcess,
} from "../../src/manager/mod.ts";

export interface InProcessOptions {
  readonly clock: Clock;
  /** The variables of its environment. */
  readonly env: Readonly<Record<string, string>>;
}

export class ManagerInProcess {
  readonly #stop = new AbortController();
  readonly #logger = new MemoryLogger();
  readonly #ended: Promise<void>;
  #exit: unknown;

  /** Starts it with these flags, in one thread and without an endpoint. */
  constructor(args: readonly string[], options: InProcessOptions) {
    this.#ended = this.#run([...args, "--controller-groups=none", "--secure-port=0"], options)
      .then((code) => this.#exit = `with ${code}`, (error) => this.#exit = error)
      .then(() => {});
  }

  /** How it ended; `undefined` while it runs. */
  get exit(): unknown {
    return this.#exit;
  }

  /** What it has said. */
  get output(): string {
    return this.#logger.lines.map((line) => Deno.inspect(line)).join("\n");
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(args: readonly string[], { clock, env }: InProcessOptions): Promise<number> {
    const world = { ...systemWorld(this.#logger), clock };
    const flags = managerFlags(args, CLOUD_CONTROLLER_MANAGER);
    const options = managerOptions(flags);
    const config = await mainConfig(world, options);
    return await runManagerProcess({
      world,
      options,
      identity: "in-process",
      file: fileOrigins(flags, { rootCaText: "" }),
      endpointClients: {},
      clients: clientsOf(world, { config, options }),
      cloud: { env: (name) => env[name], connect: fetchTransport },
      setVerbosity: () => {},
      spawn: () => {
        throw new TypeError("there are no groups");
      },
    }, this.#stop.signal);
  }
}
