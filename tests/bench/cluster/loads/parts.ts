import type { ControlPlane } from "../../../controlplane/control_plane.ts";

/** Something that plays a part of a cluster until it is stopped: a driver, nodes. */
interface Part {
  run(signal: AbortSignal): Promise<void>;
}

/** Parts that go on from a load's preparation to its end. */
const playing = new WeakMap<ControlPlane, Parts>();

/** Parts of a cluster that no manager under test plays. They run in the bench's process, whose share of a processor is printed. */
export class Parts implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #running: readonly Promise<void>[];

  constructor(...parts: readonly Part[]) {
    this.#running = parts.map((part) => part.run(this.#stop.signal));
  }

  /** Starts parts that {@link Parts.of} finds again. */
  static start(plane: ControlPlane, ...parts: readonly Part[]): void {
    playing.set(plane, new Parts(...parts));
  }

  /** The parts of a control plane, to be disposed of. */
  static of(plane: ControlPlane): Parts {
    return playing.get(plane)!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }
}
