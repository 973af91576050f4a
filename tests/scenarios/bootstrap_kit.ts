/** What scenarios of bootstrap tokens begin with. There is one `cluster-info`: they are played one after another. */
import { type ConfigMap, CONFIGMAPS, type Secret, SECRETS } from "../../src/api/mod.ts";
import { isNotFound } from "../../src/client/mod.ts";
import type { Kit } from "./kit.ts";

const TYPE = "bootstrap.kubernetes.io/token";
const CLUSTER_INFO = { namespace: "kube-public", name: "cluster-info" };
const SYSTEM = "kube-system";
/** What is signed, where nothing else is said. */
export const CONTENT = "apiVersion: v1\nkind: Config\n";

/** Makes `cluster-info`. */
export async function clusterInfo(kit: Kit, parts: Pick<ConfigMap, "data" | "binaryData">): Promise<void> {
  await kit.client.create(CONFIGMAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...CLUSTER_INFO, labels: { scenario: kit.namespace } },
    ...parts,
  });
}

export async function changeClusterInfo(kit: Kit, body: object): Promise<void> {
  await kit.client.patch(CONFIGMAPS, CLUSTER_INFO, { type: "merge", body });
}

export async function deleteClusterInfo(kit: Kit): Promise<void> {
  await unlessGone(kit.client.delete(CONFIGMAPS, CLUSTER_INFO));
}

/** What `parts` change of a token that signs. */
export interface TokenParts {
  readonly name?: string;
  readonly namespace?: string;
  readonly type?: string;
  /** Texts; without those that are undefined. */
  readonly data?: Readonly<Record<string, string | undefined>>;
}

/** Makes the token `id`, which signs unless `parts` say otherwise. */
export async function token(kit: Kit, id: string, { data, ...parts }: TokenParts = {}): Promise<void> {
  const texts = {
    "token-id": id,
    "token-secret": `secretof${id}`,
    "usage-bootstrap-signing": "true",
    "usage-bootstrap-authentication": "true",
    ...data,
  };
  const entries = Object.entries(texts).flatMap(([key, text]) => text === undefined ? [] : [[key, btoa(text)]]);
  const { name = nameOf(id), namespace = SYSTEM, type = TYPE } = parts;
  await kit.client.create(SECRETS, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, labels: { scenario: kit.namespace } },
    type,
    data: Object.fromEntries(entries),
  });
}

export async function changeToken(kit: Kit, id: string, data: Readonly<Record<string, string>>): Promise<void> {
  const stringData = Object.fromEntries(Object.entries(data));
  await kit.client.patch(SECRETS, { namespace: SYSTEM, name: nameOf(id) }, { type: "merge", body: { stringData } });
}

export async function deleteToken(kit: Kit, id: string): Promise<void> {
  await kit.client.delete(SECRETS, { namespace: SYSTEM, name: nameOf(id) });
}

/** So many seconds from now, as a token says it. */
export function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

function nameOf(id: string): string {
  return `bootstrap-token-${id}`;
}

/** Waits until `cluster-info` is signed by just these tokens. */
export async function untilSigned(kit: Kit, ...ids: string[]): Promise<void> {
  await until(kit, `cluster-info is signed by ${ids}`, async () => {
    const { data = {} } = await kit.client.get(CONFIGMAPS, CLUSTER_INFO);
    const signatures = Object.keys(data).filter((key) => key.startsWith("jws-kubeconfig-")).sort();
    return String(signatures) === String(ids.map((id) => `jws-kubeconfig-${id}`).sort());
  });
}

/** Waits until a token is gone. */
export async function untilCleaned(kit: Kit, id: string, namespace = SYSTEM): Promise<void> {
  await until(kit, `token ${id} is gone`, async () => {
    return await unlessGone(kit.client.get(SECRETS, { namespace, name: nameOf(id) })) === undefined;
  });
}

/** Waits until what was done before has been worked off. */
export async function untilWorkedOff(kit: Kit): Promise<void> {
  await token(kit, "zzzzzz", { data: { expiration: "long ago" } });
  await untilCleaned(kit, "zzzzzz");
}

/** Any object of the namespace will do to be waited with. */
async function until(kit: Kit, what: string, holds: () => Promise<boolean>): Promise<void> {
  await kit.untilAll(CONFIGMAPS, what, holds);
}

/** Writes down what has become of `cluster-info` and the tokens, where it is compared, and deletes them. */
export async function writeDown(kit: Kit): Promise<void> {
  const info = await unlessGone(kit.client.get(CONFIGMAPS, CLUSTER_INFO));
  const managers = info?.metadata?.managedFields?.map(({ manager, operation, fieldsV1 }) => {
    return { manager, operation, fieldsV1 };
  });
  const labelSelector = `scenario=${kit.namespace}`;
  const tokens = (await kit.client.list<Secret>(SECRETS, { labelSelector })).items;
  await kit.create(CONFIGMAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "outcome" },
    data: {
      info: JSON.stringify({
        data: sorted(info?.data ?? {}),
        binaryData: info?.binaryData,
        managers: managers?.filter(({ manager }) => manager === "kube-controller-manager"),
      }),
      tokens: tokens.map(({ metadata }) => metadata!.name!).sort().join(),
    },
  });
  await deleteClusterInfo(kit);
  for (const { metadata } of tokens) {
    const { namespace = "", name = "" } = metadata ?? {};
    await unlessGone(kit.client.delete(SECRETS, { namespace, name }));
  }
}

function sorted(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).sort(([a], [b]) => a < b ? -1 : 1));
}

async function unlessGone<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
