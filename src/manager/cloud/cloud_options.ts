import type { ManagerFlags } from "../manager_flags.ts";

/** The cloud options on the command line. */
export interface CloudOptions {
  /** The provider's name. */
  readonly name: string;
  /** Empty if there is none. */
  readonly configPath: string;
  readonly clusterName: string;
  readonly clusterCidrs: readonly string[];
  /** Whether the provider may be unable to tell which objects belong to this cluster. */
  readonly allowUntagged: boolean;
}

/** Reads the flags about the cloud provider; `undefined` for a program that has none. */
export function cloudOptions(flags: ManagerFlags): CloudOptions | undefined {
  if (!flags.component.hasCloud) return undefined;
  return {
    name: flags.string("cloud-provider"),
    configPath: flags.string("cloud-config"),
    clusterName: flags.string("cluster-name"),
    clusterCidrs: flags.string("cluster-cidr").split(",").map((range) => range.trim()).filter((range) => range !== ""),
    allowUntagged: flags.bool("allow-untagged-cloud"),
  };
}
