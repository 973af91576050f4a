import { canonicalJson, orAborted } from "../../base/mod.ts";
import type { ControllerDrivers, VolumeDriver } from "../running/mod.ts";
import { flexVolumePlugin, specName, type VolumePlugin, type VolumeSpec } from "../volumes/mod.ts";
import type { Attacher } from "./attachers.ts";

/**
 * The plug-ins of FlexVolume drivers, whose programs attach their volumes. Upstream: `pkg/volume/flexvolume`.
 *
 * Contract:
 * 1. A driver that comes, goes or no longer attaches does so at the next `refresh`; one that stays keeps its plug-in.
 */
export class FlexVolumes {
  readonly #drivers: ControllerDrivers;
  readonly #signal: AbortSignal;
  #plugins = new Map<string, VolumePlugin>();

  constructor(drivers: ControllerDrivers, signal: AbortSignal) {
    this.#drivers = drivers;
    this.#signal = signal;
  }

  get plugins(): Iterable<VolumePlugin> {
    return this.#plugins.values();
  }

  /** @returns Whether there is a driver that was not there before. */
  async refresh(): Promise<boolean> {
    const before = this.#plugins;
    const same = ({ name, attaches }: VolumeDriver) => {
      const known = before.get(name);
      return known?.attaches === attaches ? known : undefined;
    };
    const found = await orAborted(this.#drivers.find(), this.#signal, undefined);
    if (!found) return false;
    this.#plugins = new Map(found.map((driver) => [driver.name, same(driver) ?? flexVolumePlugin(driver)]));
    return found.some((driver) => !same(driver));
  }

  attacherOf({ name: driver }: VolumePlugin): Attacher {
    const call = (command: "attach" | "detach" | "isattached", ...args: string[]) =>
      this.#drivers.call({ driver, command, args }, this.#signal);
    return {
      attach: async (spec, node) => (await call("attach", optionsOf(spec), node))?.device ?? "",
      detach: async (volumeName, node) => void await call("detach", volumeName, node),
      isSeenAttached: () => true, // nobody can tell whether a failed call has worked: it counts until it is detached
      isAttached: async (spec, node) => (await call("isattached", optionsOf(spec), node))?.isAttached ?? true,
    };
  }
}

/** The options of a volume that a driver is given. Upstream: `flexvolume/driver-call.go` (NewOptionsForDriver). */
function optionsOf(spec: VolumeSpec): string {
  const source = spec.from === "pod" ? spec.volume.flexVolume : spec.persistentVolume.spec?.flexVolume;
  const isReadOnly = spec.from === "pod" ? spec.volume.flexVolume?.readOnly : spec.readOnly;
  return canonicalJson({
    "kubernetes.io/fsType": source?.fsType ?? "",
    "kubernetes.io/readwrite": isReadOnly ? "ro" : "rw",
    "kubernetes.io/pvOrVolumeName": specName(spec),
    ...source?.options,
  });
}
