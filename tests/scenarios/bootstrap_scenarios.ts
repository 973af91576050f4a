/** What an administrator does with bootstrap tokens and what must come of it, on any server and under either manager. */
import {
  changeClusterInfo,
  changeToken,
  clusterInfo,
  CONTENT,
  deleteClusterInfo,
  deleteToken,
  inSeconds,
  token,
  type TokenParts,
  untilCleaned,
  untilSigned,
  untilWorkedOff,
  writeDown,
} from "./bootstrap_kit.ts";
import type { Scenario } from "./scenario.ts";

const SIGNED = { data: { kubeconfig: CONTENT } };

const SIGNING: readonly Scenario[] = [
  {
    name: "bootstrap-signature",
    run: async (kit) => {
      await token(kit, "07401b", { data: { "token-secret": "f395accd246ae52d" } });
      await clusterInfo(kit, SIGNED);
      await untilSigned(kit, "07401b");
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-signatures-come-and-go",
    run: async (kit) => {
      await clusterInfo(kit, SIGNED);
      for (const id of ["aaaaaa", "bbbbbb", "cccccc"]) await token(kit, id);
      await untilSigned(kit, "aaaaaa", "bbbbbb", "cccccc");
      await deleteToken(kit, "bbbbbb");
      await untilSigned(kit, "aaaaaa", "cccccc");
      await changeToken(kit, "cccccc", { "usage-bootstrap-signing": "false" });
      await untilSigned(kit, "aaaaaa");
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-content-changes",
    run: async (kit) => {
      await clusterInfo(kit, SIGNED);
      await token(kit, "aaaaaa");
      await untilSigned(kit, "aaaaaa");
      await changeClusterInfo(kit, { data: { kubeconfig: "another\n", "jws-kubeconfig-aaaaaa": null } });
      await untilSigned(kit, "aaaaaa");
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-foreign-signatures",
    run: async (kit) => {
      await token(kit, "aaaaaa");
      const data = { kubeconfig: CONTENT, "jws-kubeconfig-zzzzzy": "old", "jws-kubeconfig-": "odd", more: "kept" };
      await clusterInfo(kit, { data, binaryData: { bytes: btoa("\u00ff\u0000") } });
      await untilSigned(kit, "aaaaaa");
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-wrong-signature",
    run: async (kit) => {
      await clusterInfo(kit, { data: { kubeconfig: CONTENT, "jws-kubeconfig-aaaaaa": "wrong" } });
      await token(kit, "aaaaaa");
      await token(kit, "bbbbbb");
      await untilSigned(kit, "aaaaaa", "bbbbbb");
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-no-token",
    run: async (kit) => {
      await clusterInfo(kit, { data: { kubeconfig: CONTENT, "jws-kubeconfig-aaaaaa": "old" } });
      await untilSigned(kit);
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-nothing-to-sign",
    run: async (kit) => {
      await token(kit, "aaaaaa");
      await clusterInfo(kit, { data: { "jws-kubeconfig-bbbbbb": "old" } });
      await untilWorkedOff(kit);
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-empty-content",
    run: async (kit) => {
      await token(kit, "aaaaaa");
      await clusterInfo(kit, { data: { kubeconfig: "" } });
      await untilSigned(kit, "aaaaaa");
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-content-of-many-scripts",
    run: async (kit) => {
      await token(kit, "aaaaaa", { data: { "token-secret": "\u00fe\u00ff\u0000 bytes" } });
      await clusterInfo(kit, { data: { kubeconfig: "\ufeffgr\u00fc\u00dfe \u2603 \ud83d\ude00 <&>\r\n" } });
      await untilSigned(kit, "aaaaaa");
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-cluster-info-made-anew",
    run: async (kit) => {
      await token(kit, "aaaaaa");
      await clusterInfo(kit, SIGNED);
      await untilSigned(kit, "aaaaaa");
      await deleteClusterInfo(kit);
      await clusterInfo(kit, SIGNED);
      await untilSigned(kit, "aaaaaa");
      await writeDown(kit);
    },
  },
];

const NOT_SIGNING: Readonly<Record<string, TokenParts>> = {
  "ba0000": { data: { "usage-bootstrap-signing": undefined } },
  "ba0001": { data: { "usage-bootstrap-signing": "" } },
  "ba0002": { data: { "usage-bootstrap-signing": "True" } },
  "ba0003": { data: { "usage-bootstrap-signing": "true\n" } },
  "ba0004": { data: { "token-id": undefined } },
  "ba0005": { data: { "token-id": "aaaaaa" } },
  "ba0006": { data: { "token-secret": undefined } },
  "ba0007": { data: { "token-secret": "" } },
  "ba0008": { name: "ba0008" },
  "ba0009": { name: "bootstrap-token-ba00090" },
  "ba000a": { type: "Opaque" },
  "ba000b": { namespace: "kube-public" },
  "ba000c": { data: { "usage-bootstrap-signing": "\u00ef\u00bb\u00bftrue" } },
};

const USE: readonly Scenario[] = [
  {
    name: "bootstrap-tokens-that-do-not-sign",
    run: async (kit) => {
      for (const [id, parts] of Object.entries(NOT_SIGNING)) await token(kit, id, parts);
      await clusterInfo(kit, SIGNED);
      await token(kit, "aaaaaa");
      await untilSigned(kit, "aaaaaa");
      await untilWorkedOff(kit);
      await writeDown(kit);
    },
  },
];

const EXPIRY: readonly Scenario[] = [
  {
    name: "bootstrap-expired",
    run: async (kit) => {
      await clusterInfo(kit, SIGNED);
      await token(kit, "aaaaaa", { data: { expiration: inSeconds(-3600) } });
      await token(kit, "bbbbbb", { data: { expiration: inSeconds(3600) } });
      await untilSigned(kit, "bbbbbb");
      await untilCleaned(kit, "aaaaaa");
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-expires",
    run: async (kit) => {
      await clusterInfo(kit, SIGNED);
      await token(kit, "aaaaaa", { data: { expiration: inSeconds(5) } });
      await untilSigned(kit, "aaaaaa");
      await untilCleaned(kit, "aaaaaa");
      await untilSigned(kit);
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-expiry-put-off",
    run: async (kit) => {
      await token(kit, "aaaaaa", { data: { expiration: inSeconds(3) } });
      await token(kit, "bbbbbb", { data: { expiration: inSeconds(4) } });
      await changeToken(kit, "aaaaaa", { expiration: inSeconds(3600) });
      await untilCleaned(kit, "bbbbbb");
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-expiry-brought-forward",
    run: async (kit) => {
      await token(kit, "aaaaaa", { data: { expiration: "9999-12-31T23:59:59Z" } });
      await changeToken(kit, "aaaaaa", { expiration: inSeconds(1) });
      await untilCleaned(kit, "aaaaaa");
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-expiry-that-cannot-be-read",
    run: async (kit) => {
      const texts = [
        "garbage",
        "2099-01-01",
        "2099-01-01T00:00:00",
        "2099-01-01 00:00:00Z",
        "2099-02-30T00:00:00Z",
        "2099-01-01T00:00:00z",
        "2099-01-01T24:00:00Z",
        "2099-01-01T00:00:60Z",
        "4070908800",
        " 2099-01-01T00:00:00Z",
      ];
      for (const [i, expiration] of texts.entries()) await token(kit, `ba000${i}`, { data: { expiration } });
      for (const i of texts.keys()) await untilCleaned(kit, `ba000${i}`);
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-expiry-in-odd-forms",
    run: async (kit) => {
      const texts = [
        "",
        "2099-01-01T00:00:00.123456789Z",
        "2099-01-01T00:00:00,5Z",
        "2099-01-01T00:00:00+14:00",
        "2099-01-01T1:00:00Z",
        "9999-12-31T23:59:59-23:59",
        "2099-01-01T00:00:00+24:60",
      ];
      for (const [i, expiration] of texts.entries()) await token(kit, `ab000${i}`, { data: { expiration } });
      await token(kit, "ab000n", { data: { expiration: undefined } });
      await untilWorkedOff(kit);
      await writeDown(kit);
    },
  },
  {
    name: "bootstrap-expired-but-something-else",
    run: async (kit) => {
      const data = { expiration: inSeconds(-3600) };
      await token(kit, "aaaaa0", { data, type: "Opaque" });
      await token(kit, "aaaaa1", { data, namespace: "kube-public" });
      await token(kit, "aaaaa2", { data: { ...data, "token-id": undefined, "usage-bootstrap-signing": undefined } });
      await untilCleaned(kit, "aaaaa2");
      await untilWorkedOff(kit);
      await writeDown(kit);
    },
  },
];

/** All of them. */
export const BOOTSTRAP_SCENARIOS: readonly Scenario[] = [...SIGNING, ...USE, ...EXPIRY];
