import type { ManagerFlags } from "../manager_flags.ts";

/** What the command line says of the cloud. */
export interface CloudOptions {
  /** Of the provider. */
  readonly name: string;
  /** Empty if there is none. */
  readonly configPath: string;
  readonly clusterName: string;
  readonly clusterCidrs: readonly string[];
  /** Whether the provider need not tell what belongs to this cluster. */
  readonly allowUntagged: boolean;
}

/** Reads the flags of a program that has a cloud provider; `undefined` of one that has none. */
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
