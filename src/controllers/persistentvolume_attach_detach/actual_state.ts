import type { VolumeSpec } from "../volumes/mod.ts";

/** A volume that is attached somewhere, or may be. */
export interface ActualVolume {
  /** Absent if only its name is known, from the status of a node. */
  readonly spec?: VolumeSpec;
  readonly devicePath: string;
  /** Where it is, by node. */
  readonly nodes: ReadonlyMap<string, Attachment>;
}

/** An actual or possible attachment of a volume to a node. */
export interface Attachment {
  /** Whether it is known to be attached. Otherwise an attempt to attach or detach it failed, or it was not checked. */
  readonly isConfirmed: boolean;
  /** Since when it is not wanted there, by the monotonic clock. */
  readonly unwantedSinceMs?: number;
}

/** A finding about a volume on a node. */
export interface Finding {
  readonly volume: string;
  readonly node: string;
  readonly spec: VolumeSpec | undefined;
  readonly devicePath: string;
  readonly isConfirmed: boolean;
}

type Entry = { -readonly [K in keyof Attachment]: Attachment[K] };

interface Known {
  spec?: VolumeSpec;
  devicePath: string;
  readonly nodes: Map<string, Entry>;
}

interface KnownNode {
  readonly volumes: Set<string>;
  /** Names of volumes that the kubelet uses, whether they are in `volumes` or not. */
  inUse: Set<string>;
  /** Whether the node exists, as far as is known. */
  isThere: boolean;
}

/** Callbacks for changes. */
export interface ActualStateOptions {
  /** Called when a volume was attached, detached, or came into or out of use. */
  onChange(volume: string, node: string): void;
  /** A volume was found to be attached, or is gone. */
  onAttached(volume: string, node: string, isAttached: boolean): void;
  /** How many attachments there are of volumes that are described so. */
  onCount(spec: VolumeSpec, by: number): void;
}

/**
 * The known attachments of volumes. Upstream: `attachdetach/cache/actual_state_of_world.go`.
 *
 * Contract:
 * 1. A finding sets description and device path of the volume wherever it is attached.
 * 2. A volume that is new on a node counts as in use there, until what its kubelet says is heard the next time.
 * 3. What a kubelet says replaces what it has said before.
 * 4. Lookups do not get slower as other volumes and nodes are added.
 * 5. A node without volumes is forgotten once it is gone.
 */
export class ActualState {
  readonly #options: ActualStateOptions;
  readonly #volumes = new Map<string, Known>();
  readonly #nodes = new Map<string, KnownNode>();

  constructor(options: ActualStateOptions) {
    this.#options = options;
  }

  get(volume: string): ActualVolume | undefined {
    return this.#volumes.get(volume);
  }

  stateOf(volume: string, node: string): "attached" | "uncertain" | "detached" {
    const attachment = this.#volumes.get(volume)?.nodes.get(node);
    return attachment ? attachment.isConfirmed ? "attached" : "uncertain" : "detached";
  }

  volumesOn(node: string): Iterable<string> {
    return this.#nodes.get(node)?.volumes ?? [];
  }

  volumes(): Iterable<readonly [name: string, volume: ActualVolume]> {
    return this.#volumes;
  }

  note({ volume, node, spec, devicePath, isConfirmed }: Finding): void {
    const known = this.#volumes.get(volume) ?? { devicePath, nodes: new Map<string, Entry>() };
    this.#volumes.set(volume, known);
    this.#describe(known, spec);
    known.devicePath = devicePath;
    const entry = known.nodes.get(node);
    if (entry) {
      entry.isConfirmed = isConfirmed;
    } else {
      known.nodes.set(node, { isConfirmed });
      const there = this.#node(node);
      there.volumes.add(volume);
      there.inUse.add(volume);
      if (known.spec) this.#options.onCount(known.spec, 1);
    }
    if (isConfirmed) this.#options.onAttached(volume, node, true);
    this.#options.onChange(volume, node);
  }

  remove(volume: string, node: string): void {
    const known = this.#volumes.get(volume);
    if (!known?.nodes.delete(node)) return;
    if (known.nodes.size === 0) this.#volumes.delete(volume);
    const there = this.#nodes.get(node);
    there?.volumes.delete(volume);
    if (there?.volumes.size === 0 && !there.isThere) this.#nodes.delete(node);
    if (known.spec) this.#options.onCount(known.spec, -1);
    this.#options.onAttached(volume, node, false);
    this.#options.onChange(volume, node);
  }

  /** @returns Since when the volume is not wanted there. */
  unwanted(volume: string, node: string, nowMs: number): number {
    const entry = this.#volumes.get(volume)?.nodes.get(node);
    if (!entry) return nowMs;
    return entry.unwantedSinceMs ??= nowMs;
  }

  /** The volume is wanted there again. */
  wanted(volume: string, node: string): void {
    const entry = this.#volumes.get(volume)?.nodes.get(node);
    if (entry) entry.unwantedSinceMs = undefined;
  }

  isInUse(volume: string, node: string): boolean {
    return this.#nodes.get(node)?.inUse.has(volume) ?? false;
  }

  /** @param volumes As the status of the node names them. */
  setInUse(node: string, volumes: readonly string[]): void {
    if (volumes.length === 0 && !this.#nodes.has(node)) return;
    const there = this.#node(node);
    const before = there.inUse;
    there.isThere = true;
    there.inUse = new Set(volumes);
    for (const volume of there.volumes) {
      if (before.has(volume) !== there.inUse.has(volume)) this.#options.onChange(volume, node);
    }
  }

  /** Records that the node is gone; its volumes may still be attached. */
  forgetNode(node: string): void {
    const there = this.#nodes.get(node);
    if (there) there.isThere = false;
    if (there?.volumes.size === 0) this.#nodes.delete(node);
  }

  #node(node: string): KnownNode {
    let there = this.#nodes.get(node);
    if (!there) this.#nodes.set(node, there = { volumes: new Set(), inUse: new Set(), isThere: false });
    return there;
  }

  #describe(known: Known, spec: VolumeSpec | undefined): void {
    const { nodes: { size } } = known;
    if (size > 0 && known.spec) this.#options.onCount(known.spec, -size);
    known.spec = spec;
    if (size > 0 && spec) this.#options.onCount(spec, size);
  }
}
