import type { Container, KeyToPath, Pod, Volume } from "../../api/mod.ts";

/** A ConfigMap or Secret that a pod names, and what of it must be there. */
export interface Reference {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  readonly isOptional: boolean;
  /** Keys that must be there, unless it is optional. */
  readonly keys: readonly string[];
}

/**
 * In which the API server's own volume finds the certificate authority. A controller that publishes it need not run where nodes
 * are simulated, and no user has asked for it: it is taken to be there.
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

/** What a volume is filled with. */
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

/** What a container's environment is made from, in the order in which a kubelet reads it. */
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

/** Secrets with which images are pulled. */
export function pullSecretNames({ spec }: Pod): readonly string[] {
  return (spec?.imagePullSecrets ?? []).map(({ name }) => name ?? "").filter((name) => name !== "");
}
