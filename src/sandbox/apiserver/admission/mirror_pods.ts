import type { Container, Pod, Volume } from "../../../api/mod.ts";
import { type Admission, refusal } from "../operations/mod.ts";

/** Where volume sources name secrets. */
interface SecretSource {
  readonly secretName?: string;
  readonly secretRef?: { readonly name?: string };
  readonly nodePublishSecretRef?: { readonly name?: string };
  readonly sources?: readonly { readonly secret?: { readonly name?: string } }[];
}

/**
 * Mirror pods show what a node runs by itself: they can have nothing of the cluster. Upstream:
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
  // Of the many types of volume sources only these fields matter, and they mean the same in all of them.
  return (Object.values(sources) as SecretSource[]).some((source) =>
    source.secretName || source.secretRef?.name || source.nodePublishSecretRef?.name ||
    source.sources?.some(({ secret }) => secret?.name)
  );
}
