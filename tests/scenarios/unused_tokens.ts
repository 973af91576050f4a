/** Tokens that nobody has used lately, and others, for the cleaner that looks at them once a day, and first when it starts. */
import { CONFIGMAPS, PODS, type Secret, SECRETS, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import { account, tokenSecret, untilFilled } from "./token_kit.ts";

export const LAST_USED = "kubernetes.io/legacy-token-last-used";
export const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const LONG_AGO = "2020-02-03";

/** A Secret, and what becomes of it. */
interface UnusedToken {
  readonly labels?: Readonly<Record<string, string>>;
  readonly becomes: "marked" | "deleted" | "kept";
  /** Whether its account does not list it. */
  readonly isUnlisted?: boolean;
  readonly more?: Partial<Secret>;
  /** The spec of a pod that mentions it. */
  pod?(name: string): object;
}

const today = () => new Date().toISOString().slice(0, 10);

const CASES: Readonly<Record<string, UnusedToken>> = {
  "never-used": { becomes: "marked" },
  "used-long-ago": { labels: { [LAST_USED]: LONG_AGO }, becomes: "marked" },
  "used-today": { labels: { [LAST_USED]: today() }, becomes: "kept" },
  "used-some-day": { labels: { [LAST_USED]: "some-day" }, becomes: "kept" },
  "used-on-a-day-that-never-was": { labels: { [LAST_USED]: "2020-02-30" }, becomes: "kept" },
  "unlisted": { isUnlisted: true, becomes: "kept" },
  "marked-long-ago": { labels: { [INVALID_SINCE]: LONG_AGO }, becomes: "deleted" },
  "marked-and-used-long-ago": { labels: { [INVALID_SINCE]: LONG_AGO, [LAST_USED]: LONG_AGO }, becomes: "deleted" },
  "marked-long-ago-and-used-today": { labels: { [INVALID_SINCE]: LONG_AGO, [LAST_USED]: today() }, becomes: "kept" },
  "marked-today": { labels: { [INVALID_SINCE]: today() }, becomes: "kept" },
  "marked-some-day": { labels: { [INVALID_SINCE]: "some-day" }, becomes: "marked" },
  "held": { more: { metadata: { finalizers: ["example.com/hold"] } }, becomes: "marked" },
  "marked-and-held": {
    labels: { [INVALID_SINCE]: LONG_AGO },
    more: { metadata: { finalizers: ["example.com/hold"] } },
    becomes: "kept",
  },
  "mounted": { pod: (secretName) => ({ volumes: [{ name: "v", secret: { secretName } }] }), becomes: "kept" },
  "projected": {
    pod: (name) => ({ volumes: [{ name: "v", projected: { sources: [{ secret: { name } }] } }] }),
    becomes: "kept",
  },
  "pulled-with": { pod: (name) => ({ imagePullSecrets: [{ name }] }), becomes: "kept" },
  "in-a-variable": {
    pod: (name) => ({
      containers: [{
        name: "c",
        image: "nginx:1",
        env: [{ name: "T", valueFrom: { secretKeyRef: { name, key: "token" } } }],
      }],
    }),
    becomes: "kept",
  },
  "in-variables-of-an-init-container": {
    pod: (name) => ({ initContainers: [{ name: "i", image: "nginx:1", envFrom: [{ secretRef: { name } }] }] }),
    becomes: "kept",
  },
};

/** How many there are. */
export const UNUSED_TOKENS: number = Object.keys(CASES).length;

/** Makes all of them, and waits until the token controller has nothing to do with them any more. */
export async function makeUnusedTokens(kit: Kit): Promise<void> {
  const listed = Object.entries(CASES).filter(([, { isUnlisted }]) => !isUnlisted).map(([name]) => name);
  await account(kit, "bot", ...listed, "opaque");
  const opaque = { apiVersion: "v1", kind: "Secret", metadata: { name: "opaque" } };
  await kit.create(SECRETS, opaque);
  for (const [name, { labels, more, pod }] of Object.entries(CASES)) {
    const secret = tokenSecret(name, "bot", { data: { token: btoa("x") }, ...more });
    await kit.create(SECRETS, { ...secret, metadata: { ...secret.metadata, labels: { ...labels } } });
    if (!pod) continue;
    const spec = { containers: [{ name: "c", image: "nginx:1" }], ...pod(name) };
    await kit.create(PODS, { apiVersion: "v1", kind: "Pod", metadata: { name }, spec });
  }
  for (const name of Object.keys(CASES)) await untilFilled(kit, name);
}

/** Makes the API server say that it has noted the use of tokens for years. */
export async function trackForYears({ client }: Kit): Promise<void> {
  const name = "kube-apiserver-legacy-service-account-token-tracking";
  await client.patch(CONFIGMAPS, { namespace: "kube-system", name }, {
    type: "merge",
    body: { data: { since: LONG_AGO } },
  });
}

/** Waits until all that is to happen to them has happened. */
export async function untilCleanedUp(kit: Kit): Promise<void> {
  await kit.untilAll(
    SECRETS,
    "unused tokens are marked and deleted",
    (secrets) =>
      Object.entries(CASES).every(([name, { becomes }]) => {
        const secret = secrets.find(({ metadata }) => metadata?.name === name);
        if (becomes === "deleted") return !secret;
        return becomes === "kept" || secret?.metadata?.labels?.[INVALID_SINCE] === today();
      }),
  );
  // Another controller takes what was deleted off the account's list.
  const deleted = Object.entries(CASES).filter(([, { becomes }]) => becomes === "deleted").map(([name]) => name);
  await kit.until(
    SERVICEACCOUNTS,
    "bot",
    "lists no Secret that was deleted",
    ({ secrets = [] }) => !secrets.some(({ name = "" }) => deleted.includes(name)),
  );
}
