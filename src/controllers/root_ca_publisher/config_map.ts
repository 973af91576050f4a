import { type ConfigMap, DESCRIPTION_ANNOTATION, ROOT_CA_CONFIG_MAP, ROOT_CA_KEY } from "../../api/mod.ts";

const DESCRIPTION =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal " +
  "service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** The action for one namespace's ConfigMap. */
export type RootCaAction =
  | { readonly type: "none" }
  | { readonly type: "create"; readonly configMap: ConfigMap }
  | { readonly type: "update"; readonly configMap: ConfigMap };

/**
 * Compares a namespace's ConfigMap with what must be published.
 *
 * @param current The cached one; not modified.
 * @param rootCaText Published byte for byte, also when empty.
 */
export function rootCaAction(current: ConfigMap | undefined, namespace: string, rootCaText: string): RootCaAction {
  const data = { [ROOT_CA_KEY]: rootCaText };
  const annotations = { [DESCRIPTION_ANNOTATION]: DESCRIPTION };
  if (!current) {
    return { type: "create", configMap: { metadata: { name: ROOT_CA_CONFIG_MAP, namespace, annotations }, data } };
  }
  const isDataRight = Object.keys(current.data ?? {}).length === 1 && current.data?.[ROOT_CA_KEY] === rootCaText;
  // Any text is accepted: older releases and users have their own.
  if (isDataRight && current.metadata?.annotations?.[DESCRIPTION_ANNOTATION]) return { type: "none" };
  const metadata = { ...current.metadata, annotations: { ...current.metadata?.annotations, ...annotations } };
  return { type: "update", configMap: { ...current, metadata, data } };
}
