import type { Container, Pod, Volume } from "../../../api/mod.ts";
import { type Admission, refusal } from "../operations/mod.ts";

/** A volume source, as far as it can name a secret. */
interface SecretSource {
  readonly secretName?: string;
  readonly secretRef?: { readonly name?: string };
  readonly nodePublishSecretRef?: { readonly name?: string };
  readonly sources?: readonly { readonly secret?: { readonly name?: string } }[];
}

/**
 * Mirror pods represent what a node runs by itself, so they cannot use anything of the cluster. Upstream:
 * `plugin/pkg/admission/serviceaccount` (Validate).
 *
 * @throws {ApiError} 403.
 */
export function keepMirrorPodPlain(admission: Admission<Pod>): void {
  const { spec } = admission.object;
  if (spec?.serviceAccountName) throw refusal(admission, "a mirror pod may not reference service accounts");
  if (usesSecrets(spec)) throw refusal(admission, "a mirror pod may not reference secrets");
  const hasToken = spec?.volumes?.some(({ projected }) => projected?.sources?.some((each) => each.serviceAccountToken));
  if (hasToken) throw refusal(admission, "a mirror pod may not use ServiceAccountToken volume projections");
}

function usesSecrets(spec: Pod["spec"]): boolean {
  const { imagePullSecrets = [], containers = [], initContainers = [], ephemeralContainers = [], volumes = [] } =
    spec ??
      {};
  return imagePullSecrets.some(({ name }) => name) || volumes.some(takesSecret) ||
    [...initContainers, ...containers, ...ephemeralContainers].some(readsSecret);
}

function readsSecret({ env = [], envFrom = [] }: Pick<Container, "env" | "envFrom">): boolean {
  return envFrom.some(({ secretRef }) => secretRef?.name) || env.some(({ valueFrom }) => valueFrom?.secretKeyRef?.name);
}

function takesSecret({ name: _name, ...sources }: Volume): boolean {
  // These fields mean the same in all types of volume sources.
  return (Object.values(sources) as SecretSource[]).some((source) =>
    source.secretName || source.secretRef?.name || source.nodePublishSecretRef?.name ||
    source.sources?.some(({ secret }) => secret?.name)
  );
}
