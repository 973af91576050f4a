/** What scenarios of tokens in Secrets begin with, and what they wait for. */
import { type Secret, SECRETS, type ServiceAccount, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";

export const ACCOUNT_NAME = "kubernetes.io/service-account.name";
export const ACCOUNT_UID = "kubernetes.io/service-account.uid";

/** A Secret that is to hold the token of `account`. */
export function tokenSecret(name: string, account: string, { uid, ...more }: { uid?: string } & Secret = {}): Secret {
  const annotations = { [ACCOUNT_NAME]: account, ...uid === undefined ? {} : { [ACCOUNT_UID]: uid } };
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/service-account-token",
    ...more,
    metadata: { name, annotations, ...more.metadata },
  };
}

/** Makes an account that lists these Secrets. */
export function account(kit: Kit, name: string, ...secrets: string[]): Promise<ServiceAccount> {
  return kit.create(SERVICEACCOUNTS, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name },
    ...secrets.length > 0 ? { secrets: secrets.map((each) => ({ name: each })) } : {},
  });
}

/** Waits until a Secret has a token. */
export function untilFilled(kit: Kit, name: string): Promise<Secret> {
  return kit.until(SECRETS, name, "has a token", ({ data }) => data?.token && data["ca.crt"] && data.namespace);
}

/** Waits until what was done before has been worked off: Secrets come in the order of their changes. */
export async function untilWorkedOff(kit: Kit, name = "last"): Promise<void> {
  await account(kit, name);
  await kit.create(SECRETS, tokenSecret(name, name));
  await untilFilled(kit, name);
}
