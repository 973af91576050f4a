import type { VolumePlugin } from "./plugins.ts";
import type { VolumeSpec } from "./volume_spec.ts";

/** What is asked of a plug-in, and how its lack is told of. */
const LACKS = {
  recycles: "no recyclable volume plugin matched",
  deletes: "no deletable volume plugin matched",
  provisions: "no provisionable volume plugin matched",
} as const;

/** What a plug-in may be looked up for. */
export type PluginAbility = keyof typeof LACKS;

/** No plug-in, or more than one, is there for a volume. */
export class PluginLookupError extends Error {
  override readonly name = "PluginLookupError";
}

/** The plug-ins that a controller has. Upstream: `pkg/volume` (VolumePluginMgr). */
export class VolumePlugins {
  readonly #plugins: () => readonly VolumePlugin[];

  /** @param plugins Those there are, or what tells so whenever it is asked: drivers come and go. */
  constructor(plugins: readonly VolumePlugin[] | (() => readonly VolumePlugin[])) {
    this.#plugins = typeof plugins === "function" ? plugins : () => plugins;
  }

  /**
   * The plug-in of a volume, if there is exactly one. For volumes of which most have none: an error costs a hundred times as much
   * as the lookup.
   */
  find(spec: VolumeSpec): VolumePlugin | undefined {
    const found = this.#plugins().filter((plugin) => plugin.supports(spec));
    return found.length === 1 ? found[0] : undefined;
  }

  /**
   * The plug-in of a volume.
   *
   * @param ability What it has to be able to do.
   * @throws {PluginLookupError} `no volume plugin matched`, `multiple volume plugins matched: a,b`, or what it is not able to do.
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
   * @throws {PluginLookupError} `no volume plugin matched name: NAME`, or what it is not able to do.
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
