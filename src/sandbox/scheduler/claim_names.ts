import type { Pod } from "../../api/mod.ts";

/** A claim of a pod's volume, which may be an ephemeral one. */
export interface ClaimName {
  readonly name: string;
  readonly isEphemeral: boolean;
}

export function claimNamesOf(pod: Pod): readonly string[] {
  return claimsOf(pod).map(({ name }) => name);
}

export function claimsOf({ metadata, spec }: Pod): readonly ClaimName[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): ClaimName[] => {
    if (persistentVolumeClaim) return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }];
    return ephemeral ? [{ name: `${metadata?.name}-${name}`, isEphemeral: true }] : [];
  });
}
