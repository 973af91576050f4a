import type { Pod } from "../../api/mod.ts";

/** A claim that a pod's volume names, or that is made for the pod alone. */
export interface ClaimName {
  readonly name: string;
  readonly isEphemeral: boolean;
}

/** The names of the claims that a pod uses. */
export function claimNamesOf(pod: Pod): readonly string[] {
  return claimsOf(pod).map(({ name }) => name);
}

/** What a pod claims. */
export function claimsOf({ metadata, spec }: Pod): readonly ClaimName[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): ClaimName[] => {
    if (persistentVolumeClaim) return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }];
    return ephemeral ? [{ name: `${metadata?.name}-${name}`, isEphemeral: true }] : [];
  });
}
