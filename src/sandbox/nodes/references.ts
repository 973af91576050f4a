import type { Container, KeyToPath, Pod, Volume } from "../../api/mod.ts";

/** A pod's reference to a ConfigMap or Secret, and the keys it needs. */
export interface Reference {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  readonly isOptional: boolean;
  /** The required keys, unless the reference is optional. */
  readonly keys: readonly string[];
}

/**
 * The ConfigMap with the certificate authority for the API server's own volume. The controller that publishes it need
 * not run where nodes are simulated, and no user asked for the volume, so it counts as present.
 */
const ROOT_CERTIFICATE = "kube-root-ca.crt";

type Source = { readonly name?: string; readonly optional?: boolean };

function reference(
  kind: Reference["kind"],
  { name = "", optional = false }: Source,
  keys: readonly string[],
): Reference {
  return { kind, name, isOptional: optional, keys };
}

const keysOf = (items: readonly KeyToPath[] = []) => items.map(({ key }) => key);

/** The sources of a volume. */
export function volumeReferences({ configMap, secret, projected }: Volume): readonly Reference[] {
  if (configMap) return [reference("ConfigMap", configMap, keysOf(configMap.items))];
  if (secret) return [reference("Secret", { ...secret, name: secret.secretName }, keysOf(secret.items))];
  return (projected?.sources ?? []).flatMap(({ configMap, secret }) => [
    ...configMap && configMap.name !== ROOT_CERTIFICATE
      ? [reference("ConfigMap", configMap, keysOf(configMap.items))]
      : [],
    ...secret ? [reference("Secret", secret, keysOf(secret.items))] : [],
  ]);
}

/** The sources of a container's environment, in the order in which a kubelet reads them. */
export function environmentReferences({ envFrom = [], env = [] }: Container): readonly Reference[] {
  return [
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      ...configMapRef ? [reference("ConfigMap", configMapRef, [])] : [],
      ...secretRef ? [reference("Secret", secretRef, [])] : [],
    ]),
    ...env.flatMap(({ valueFrom: { configMapKeyRef, secretKeyRef } = {} }) => [
      ...configMapKeyRef ? [reference("ConfigMap", configMapKeyRef, [configMapKeyRef.key])] : [],
      ...secretKeyRef ? [reference("Secret", secretKeyRef, [secretKeyRef.key])] : [],
    ]),
  ];
}

export function pullSecretNames({ spec }: Pod): readonly string[] {
  return (spec?.imagePullSecrets ?? []).map(({ name }) => name ?? "").filter((name) => name !== "");
}
