import type { VolumePlugin } from "./plugins.ts";
import type { VolumeSpec } from "./volume_spec.ts";

/** The abilities of a plug-in, and the error text if it lacks one. */
const LACKS = {
  recycles: "no recyclable volume plugin matched",
  deletes: "no deletable volume plugin matched",
  provisions: "no provisionable volume plugin matched",
} as const;

/** An ability that a plug-in may be looked up for. */
export type PluginAbility = keyof typeof LACKS;

/** There is no plug-in for a volume, or more than one. */
export class PluginLookupError extends Error {
  override readonly name = "PluginLookupError";
}

/** The plug-ins that a controller has. Upstream: `pkg/volume` (VolumePluginMgr). */
export class VolumePlugins {
  readonly #plugins: () => readonly VolumePlugin[];

  /** @param plugins The plug-ins, or a function that returns the current ones: drivers come and go. */
  constructor(plugins: readonly VolumePlugin[] | (() => readonly VolumePlugin[])) {
    this.#plugins = typeof plugins === "function" ? plugins : () => plugins;
  }

  /**
   * The plug-in of a volume, if there is exactly one. For volumes that mostly have none: an error costs a hundred times
   * as much as the lookup.
   */
  find(spec: VolumeSpec): VolumePlugin | undefined {
    const found = this.#plugins().filter((plugin) => plugin.supports(spec));
    return found.length === 1 ? found[0] : undefined;
  }

  /**
   * The plug-in of a volume.
   *
   * @param ability The ability that it must have.
   * @throws {PluginLookupError} `no volume plugin matched`, `multiple volume plugins matched: a,b`, or the ability that
   *   it lacks.
   */
  bySpec(spec: VolumeSpec, ability?: PluginAbility): VolumePlugin {
    const found = this.#plugins().filter((plugin) => plugin.supports(spec));
    if (found.length === 0) throw new PluginLookupError("no volume plugin matched");
    if (found.length > 1) {
      throw new PluginLookupError(`multiple volume plugins matched: ${found.map(({ name }) => name).join(",")}`);
    }
    return able(found[0], ability);
  }

  /**
   * The plug-in of this name.
   *
   * @throws {PluginLookupError} `no volume plugin matched name: NAME`, or the ability that it lacks.
   */
  byName(name: string, ability?: PluginAbility): VolumePlugin {
    const found = this.#plugins().find((plugin) => plugin.name === name);
    if (!found) throw new PluginLookupError(`no volume plugin matched name: ${name}`);
    return able(found, ability);
  }
}

function able(plugin: VolumePlugin, ability: PluginAbility | undefined): VolumePlugin {
  if (ability && !plugin[ability]) throw new PluginLookupError(LACKS[ability]);
  return plugin;
}
