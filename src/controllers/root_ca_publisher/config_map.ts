import type { ConfigMap } from "../../api/mod.ts";

/** The ConfigMap with the API server's CA bundle that every namespace has; pods get it by ServiceAccount admission. */
export const ROOT_CA_CONFIG_MAP = "kube-root-ca.crt";

const DATA_KEY = "ca.crt";
const DESCRIPTION_ANNOTATION = "kubernetes.io/description";
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
  const data = { [DATA_KEY]: rootCaText };
  const annotations = { [DESCRIPTION_ANNOTATION]: DESCRIPTION };
  if (!current) {
    return { type: "create", configMap: { metadata: { name: ROOT_CA_CONFIG_MAP, namespace, annotations }, data } };
  }
  const isDataRight = Object.keys(current.data ?? {}).length === 1 && current.data?.[DATA_KEY] === rootCaText;
  // Any text is accepted: older releases and users have their own.
  if (isDataRight && current.metadata?.annotations?.[DESCRIPTION_ANNOTATION]) return { type: "none" };
  const metadata = { ...current.metadata, annotations: { ...current.metadata?.annotations, ...annotations } };
  return { type: "update", configMap: { ...current, metadata, data } };
}
