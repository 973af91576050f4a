import type { Node, Taint } from "../../api/mod.ts";

/** The taint that a kubelet gives its node until a cloud has initialized it. Its value and effect do not matter. */
const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

export function isUninitialized({ spec }: Node): boolean {
  return spec?.taints?.some(({ key }) => key === UNINITIALIZED) ?? false;
}

export function withoutUninitialized(taints: readonly Taint[] = []): Taint[] {
  return taints.filter(({ key }) => key !== UNINITIALIZED);
}
