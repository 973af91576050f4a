/** What a user does with tokens of ServiceAccounts in Secrets and what must come of it, on any server and under either manager. */
import { SECRETS, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import type { Scenario } from "./scenario.ts";
import { account, ACCOUNT_NAME, ACCOUNT_UID, tokenSecret, untilFilled, untilWorkedOff } from "./token_kit.ts";

const FILLING: readonly Scenario[] = [
  {
    name: "token-of-an-account",
    run: async (kit) => {
      await account(kit, "bot");
      await kit.create(SECRETS, tokenSecret("bot-token", "bot"));
      await untilFilled(kit, "bot-token");
    },
  },
  {
    name: "token-of-the-default-account-by-uid",
    run: async (kit) => {
      const { metadata } = await kit.get(SERVICEACCOUNTS, "default");
      await kit.create(SECRETS, tokenSecret("a", "default", { uid: metadata!.uid! }));
      await untilFilled(kit, "a");
    },
  },
  {
    name: "tokens-of-one-account",
    run: async (kit) => {
      await account(kit, "bot", "x", "z");
      for (const name of ["x", "y", "z"]) await kit.create(SECRETS, tokenSecret(name, "bot"));
      for (const name of ["x", "y", "z"]) await untilFilled(kit, name);
    },
  },
  {
    name: "token-for-another-namespace-name",
    run: async (kit) => {
      await account(kit, "bot");
      await kit.create(SECRETS, tokenSecret("a", "bot", { data: { namespace: btoa("custom"), more: btoa("kept") } }));
      await untilFilled(kit, "a");
    },
  },
  {
    name: "token-with-another-authority",
    run: async (kit) => {
      await account(kit, "bot");
      await kit.create(SECRETS, tokenSecret("a", "bot", { data: { "ca.crt": btoa("another one") } }));
      await untilFilled(kit, "a");
    },
  },
  {
    name: "token-that-is-there-stays",
    run: async (kit) => {
      await account(kit, "bot");
      await kit.create(SECRETS, tokenSecret("a", "bot", { data: { token: btoa("mine") } }));
      await untilFilled(kit, "a");
    },
  },
  {
    name: "token-complete-without-uid",
    run: async (kit) => {
      await account(kit, "bot");
      await kit.create(SECRETS, tokenSecret("a", "bot"));
      await untilFilled(kit, "a");
      await kit.merge(SECRETS, "a", { metadata: { annotations: { [ACCOUNT_UID]: null } } });
      await untilWorkedOff(kit);
    },
  },
  {
    name: "token-emptied",
    run: async (kit) => {
      await account(kit, "bot");
      await kit.create(SECRETS, tokenSecret("a", "bot"));
      await untilFilled(kit, "a");
      await kit.merge(SECRETS, "a", { data: { token: null, namespace: null, "ca.crt": "" } });
      await untilFilled(kit, "a");
    },
  },
  {
    name: "token-immutable-and-empty",
    run: async (kit) => {
      await account(kit, "bot");
      await kit.create(SECRETS, tokenSecret("a", "bot", { immutable: true }));
      await untilWorkedOff(kit);
    },
  },
  {
    name: "token-being-deleted",
    run: async (kit) => {
      await account(kit, "bot");
      await kit.create(SECRETS, tokenSecret("a", "bot", { metadata: { finalizers: ["example.com/hold"] } }));
      await untilFilled(kit, "a");
      await kit.delete(SECRETS, "a");
      await kit.merge(SECRETS, "a", { data: { token: null } });
      await untilFilled(kit, "a");
    },
  },
];

const DELETION: readonly Scenario[] = [
  {
    name: "token-of-nobody",
    run: async (kit) => {
      await kit.create(SECRETS, tokenSecret("a", "nobody"));
      await kit.untilGone(SECRETS, "a");
    },
  },
  {
    name: "token-of-nobody-with-an-odd-name",
    run: async (kit) => {
      await kit.create(SECRETS, tokenSecret("upper", "NoBody"));
      await kit.create(SECRETS, tokenSecret("long", "x".repeat(254)));
      await kit.create(SECRETS, tokenSecret("path", "a/b"));
      for (const name of ["upper", "long"]) await kit.untilGone(SECRETS, name);
      await untilWorkedOff(kit);
    },
  },
  {
    name: "token-of-another-uid",
    run: async (kit) => {
      await account(kit, "bot");
      await kit.create(SECRETS, tokenSecret("a", "bot", { uid: "00000000-0000-0000-0000-000000000000" }));
      await kit.untilGone(SECRETS, "a");
    },
  },
  {
    name: "token-moved-to-another-account",
    run: async (kit) => {
      await account(kit, "bot");
      await account(kit, "other");
      for (const name of ["a", "b"]) await kit.create(SECRETS, tokenSecret(name, "bot"));
      for (const name of ["a", "b"]) await untilFilled(kit, name);
      await kit.merge(SECRETS, "a", { metadata: { annotations: { [ACCOUNT_NAME]: "other" } } });
      await kit.merge(SECRETS, "b", { metadata: { annotations: { [ACCOUNT_NAME]: "other", [ACCOUNT_UID]: null } } });
      await kit.untilGone(SECRETS, "a");
      await untilWorkedOff(kit);
    },
  },
  {
    name: "tokens-of-a-deleted-account",
    run: async (kit) => {
      await account(kit, "bot", "a");
      for (const name of ["a", "b"]) await kit.create(SECRETS, tokenSecret(name, "bot"));
      await kit.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata: { name: "plain" } });
      const annotations = { [ACCOUNT_NAME]: "bot" };
      await kit.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata: { name: "opaque", annotations } });
      for (const name of ["a", "b"]) await untilFilled(kit, name);
      await kit.delete(SERVICEACCOUNTS, "bot");
      for (const name of ["a", "b"]) await kit.untilGone(SECRETS, name);
    },
  },
  {
    name: "tokens-of-an-account-made-anew",
    run: async (kit) => {
      await account(kit, "bot", "a");
      await kit.create(SECRETS, tokenSecret("a", "bot"));
      await untilFilled(kit, "a");
      await kit.delete(SERVICEACCOUNTS, "bot");
      await account(kit, "bot", "b");
      await kit.untilGone(SECRETS, "a");
      await kit.create(SECRETS, tokenSecret("b", "bot"));
      await untilFilled(kit, "b");
    },
  },
];

const REFERENCES: readonly Scenario[] = [
  {
    name: "token-reference-removed",
    run: async (kit) => {
      await account(kit, "bot", "a", "b", "a", "gone");
      for (const name of ["a", "b"]) await kit.create(SECRETS, tokenSecret(name, "bot"));
      for (const name of ["a", "b"]) await untilFilled(kit, name);
      await kit.delete(SECRETS, "a");
      await kit.until(SERVICEACCOUNTS, "bot", "lists a no more", ({ secrets = [] }) => secrets.length === 2);
    },
  },
  {
    name: "token-reference-removed-last",
    run: async (kit) => {
      await account(kit, "bot", "a");
      await kit.create(SECRETS, tokenSecret("a", "bot"));
      await untilFilled(kit, "a");
      await kit.delete(SECRETS, "a");
      await kit.until(SERVICEACCOUNTS, "bot", "lists nothing", ({ secrets = [] }) => secrets.length === 0);
    },
  },
  {
    name: "token-reference-of-another-secret",
    run: async (kit) => {
      await account(kit, "bot", "plain", "other");
      await kit.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata: { name: "plain" } });
      await account(kit, "second");
      await kit.create(SECRETS, tokenSecret("other", "second"));
      await untilFilled(kit, "other");
      await kit.delete(SECRETS, "plain");
      await kit.delete(SECRETS, "other");
      await untilWorkedOff(kit);
    },
  },
];

/** All of them. */
export const TOKEN_SCENARIOS: readonly Scenario[] = [...FILLING, ...DELETION, ...REFERENCES];
