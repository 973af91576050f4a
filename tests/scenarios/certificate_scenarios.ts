/** Requests for certificates, and what must come of them under either manager. */
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { CERTIFICATESIGNINGREQUESTS, CLUSTERROLEBINDINGS, CONFIGMAPS } from "../../src/api/mod.ts";
import {
  ask,
  type Asked,
  CLIENT,
  decide,
  KUBELET,
  passedOver,
  SERVING,
  settled,
  tell,
  UNKNOWN,
} from "./certificate_kit.ts";
import type { Kit } from "./kit.ts";
import { kubelet, type RequestParts, requestPem } from "./request_pem.ts";
import type { Scenario } from "./scenario.ts";

const DNS = { type: "dns", value: "example.com" } as const;
const MAIL = { type: "email", value: "a@example.com" } as const;
const IP = { type: "ip", value: "10.0.0.1" } as const;
const URI = { type: "url", value: "spiffe://example.com/a" } as const;
const USER: RequestParts["subject"] = [["O", "team"], ["CN", "ann"]];
const THREE = ["digital signature", "key encipherment", "client auth"];
const TWO = ["digital signature", "client auth"];
const SERVER = ["digital signature", "key encipherment", "server auth"];

/** A request that somebody approves, and what comes of it. */
function approved(name: string, asked: Asked): Scenario {
  return {
    name,
    run: async (kit) => {
      await ask(kit, { subject: USER, ...asked });
      await decide(kit, "Approved");
      await settled(kit);
      await tell(kit);
    },
  };
}

/** A request of a kubelet that the manager approves by itself. */
function recognized(name: string, asked: Asked): Scenario {
  return {
    name,
    run: async (kit) => {
      await ask(kit, { subject: kubelet("a"), signerName: KUBELET, ...asked });
      await settled(kit);
      await tell(kit);
    },
  };
}

/** A request that the manager leaves as it is. */
function untouched(name: string, asked: Asked, ...decisions: Parameters<typeof decide>[1][]): Scenario {
  return {
    name,
    run: async (kit) => {
      await ask(kit, { subject: USER, ...asked });
      for (const decision of decisions) await decide(kit, decision);
      const { signerName = CLIENT } = asked;
      await passedOver(kit, signerName.startsWith("kubernetes.io") && signerName !== UNKNOWN ? signerName : CLIENT);
      await tell(kit);
    },
  };
}

const OF_USERS: readonly Scenario[] = [
  approved("certificate-client", { usages: THREE }),
  approved("certificate-client-without-encipherment", { usages: TWO }),
  approved("certificate-client-of-one-usage", {}),
  approved("certificate-client-and-server", { usages: [...THREE, "server auth"] }),
  approved("certificate-client-of-no-client", { usages: ["digital signature"] }),
  approved("certificate-client-for-ten-minutes", { expirationSeconds: 600 }),
  approved("certificate-client-for-an-hour", { expirationSeconds: 3600 }),
  approved("certificate-client-for-almost-eight-hours", { expirationSeconds: 8 * 3600 - 1 }),
  approved("certificate-client-for-eight-hours", { expirationSeconds: 8 * 3600 }),
  approved("certificate-client-for-longer-than-there-is", { expirationSeconds: 2_000_000_000 }),
  approved("certificate-client-with-rsa", { key: "RSA" }),
  approved("certificate-client-with-p384", { key: "P-384" }),
  approved("certificate-client-of-nobody", { subject: [] }),
  approved("certificate-client-of-nobody-with-names", { subject: [], names: [DNS] }),
  approved("certificate-client-of-a-long-name", {
    subject: [
      ["CN", "first"],
      ["OU", "z"],
      ["O", "b"],
      ["C", "DE"],
      ["O", "aaa"],
      ["L", "Jena"],
      ["ST", "TH"],
      ["DC", "dropped"],
      ["OU", "yy"],
      ["CN", "last"],
    ],
  }),
  approved("certificate-client-with-letters", { subject: [["O", "Zoë & Söhne"], ["CN", "a*b@c_d"]] }),
  approved("certificate-client-with-names-of-all-kinds", { names: [URI, IP, { type: "ip", value: "::1" }, MAIL, DNS] }),
  approved("certificate-client-that-wants-to-be-an-authority", {
    extensions: [
      new x509.BasicConstraintsExtension(true, 3, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  }),
];

/** Some that are approved although they should not be, and none of them gets a certificate. */
const wrongKubelet = (name: string, asked: Asked) =>
  approved(name, { subject: kubelet("a"), signerName: KUBELET, usages: TWO, ...asked });
const serving = (name: string, asked: Asked) =>
  approved(name, { subject: kubelet("a"), signerName: SERVING, usages: SERVER, ...asked });

const OF_KUBELETS: readonly Scenario[] = [
  recognized("certificate-kubelet", { usages: TWO }),
  recognized("certificate-kubelet-with-encipherment", { usages: THREE }),
  recognized("certificate-kubelet-with-rsa", { usages: THREE, key: "RSA" }),
  recognized("certificate-kubelet-of-an-empty-name", { usages: TWO, subject: kubelet("") }),
  wrongKubelet("certificate-kubelet-with-dns", { names: [DNS] }),
  wrongKubelet("certificate-kubelet-with-mail", { names: [MAIL] }),
  wrongKubelet("certificate-kubelet-with-ip", { names: [IP] }),
  wrongKubelet("certificate-kubelet-with-uri", { names: [URI] }),
  wrongKubelet("certificate-kubelet-without-group", { subject: [["CN", "system:node:a"]] }),
  wrongKubelet("certificate-kubelet-of-two-groups", {
    subject: [["O", "system:nodes"], ["O", "x"], ["CN", "system:node:a"]],
  }),
  wrongKubelet("certificate-kubelet-that-is-a-user", { subject: [["O", "system:nodes"], ["CN", "ann"]] }),
  wrongKubelet("certificate-kubelet-that-serves", { usages: SERVER }),
  wrongKubelet("certificate-kubelet-of-one-usage", { usages: ["client auth"] }),
  serving("certificate-serving-dns", { names: [DNS] }),
  serving("certificate-serving-ip", { names: [IP], usages: ["digital signature", "server auth"] }),
  serving("certificate-serving-without-name", {}),
  serving("certificate-serving-with-mail", { names: [DNS, MAIL] }),
  serving("certificate-serving-with-uri", { names: [DNS, URI] }),
  serving("certificate-serving-that-is-a-client", { names: [DNS], usages: TWO }),
  serving("certificate-serving-that-is-a-user", { names: [DNS], subject: USER }),
  serving("certificate-serving-that-is-no-node", { names: [DNS], subject: [["O", "system:nodes"], ["CN", "ann"]] }),
];

/** Lets a user ask for certificates of nodes. */
async function allow(kit: Kit, user: string, role: string): Promise<void> {
  const name = `${kit.namespace}-${role}`;
  await kit.create(CLUSTERROLEBINDINGS, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: `system:certificates.k8s.io:certificatesigningrequests:${role}`,
    },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
  });
}

/** A request of a kubelet by somebody who may make such. */
function permitted(name: string, role: string, username: string, node = "joiner"): Scenario {
  return {
    name,
    run: async (kit) => {
      await allow(kit, username, role);
      const subject = kubelet(node);
      await ask(kit, { subject, signerName: KUBELET, usages: TWO, spoil: by(username) });
      await settled(kit);
      await tell(kit);
    },
  };
}

/** Has somebody else be who asks. */
const by = (username: string): Asked["spoil"] => ({ spec }) => {
  Object.assign(spec!, { username, groups: ["system:authenticated"], extra: undefined });
};

const OF_OTHERS: readonly Scenario[] = [
  permitted("certificate-of-a-joining-machine", "nodeclient", "joiner"),
  permitted("certificate-of-the-node-itself", "selfnodeclient", "system:node:itself", "itself"),
  permitted("certificate-of-the-node-by-the-wider-right", "nodeclient", "system:node:wider", "wider"),
  untouched("certificate-of-somebody-without-rights", {
    subject: kubelet("a"),
    signerName: KUBELET,
    usages: TWO,
    spoil: by("nobody"),
  }),
];

/** A stored request in which this has been put in place of the text of PKCS#10. */
const replaced = (text: string): Asked["spoil"] => ({ spec }) => {
  spec!.request = btoa(text);
};
const approvedBefore = (change: Asked["spoil"] = () => {}): Asked["spoil"] => (stored) => {
  change(stored);
  const at = "2026-01-01T00:00:00Z";
  const condition = { type: "Approved", status: "True", reason: "R", lastUpdateTime: at, lastTransitionTime: at };
  stored.status = { conditions: [condition] };
};
const truncated = (pem: string) => {
  const [head, ...lines] = pem.trim().split("\n");
  return [head, ...lines.slice(0, 2), lines.at(-1), ""].join("\n");
};
const PEM = await requestPem({ subject: USER });

const LEFT_ALONE: readonly Scenario[] = [
  untouched("certificate-pending", {}),
  untouched("certificate-denied", {}, "Denied"),
  untouched("certificate-failed", {}, "Failed", "Approved"),
  untouched("certificate-of-a-foreign-signer", { signerName: "example.com/own" }, "Approved"),
  untouched("certificate-serving-is-not-approved", {
    subject: kubelet("a"),
    names: [DNS],
    signerName: SERVING,
    usages: SERVER,
  }),
  untouched("certificate-kubelet-with-names-is-not-approved", {
    subject: kubelet("a"),
    names: [DNS],
    signerName: KUBELET,
    usages: TWO,
  }),
  untouched("certificate-stored-garbage", { spoil: approvedBefore(replaced("garbage")) }),
  untouched("certificate-stored-other-block", {
    spoil: approvedBefore(replaced(PEM.replaceAll("CERTIFICATE REQUEST", "CERTIFICATE"))),
  }),
  untouched("certificate-stored-truncated", { spoil: approvedBefore(replaced(truncated(PEM))) }),
  untouched("certificate-stored-without-usages", {
    signerName: CLIENT,
    spoil: approvedBefore(({ spec }) => void (spec!.usages = [])),
  }),
  untouched("certificate-stored-too-short", {
    spoil: approvedBefore(({ spec }) => void (spec!.expirationSeconds = 5)),
  }),
  untouched("certificate-stored-with-unknown-usage", {
    spoil: approvedBefore(({ spec }) => {
      spec!.signerName = UNKNOWN;
      spec!.usages = ["cooking"];
    }),
  }),
];

/** A request of old times, signed by the signer that nobody can ask any more. */
function legacy(name: string, asked: Asked): Scenario {
  return {
    name,
    run: async (kit) => {
      await ask(kit, {
        subject: USER,
        ...asked,
        spoil: approvedBefore(({ spec }) => void (spec!.signerName = UNKNOWN)),
      });
      await settled(kit);
      await tell(kit);
    },
  };
}

const OF_OLD_TIMES: readonly Scenario[] = [
  legacy("certificate-legacy-server-and-client", {
    usages: ["signing", "key encipherment", "server auth", "client auth"],
  }),
  legacy("certificate-legacy-rare-usages", { usages: ["ocsp signing", "crl sign", "s/mime", "content commitment"] }),
  legacy("certificate-legacy-all-usages", {
    usages: [
      "netscape sgc",
      "microsoft sgc",
      "timestamping",
      "ipsec user",
      "ipsec tunnel",
      "ipsec end system",
      "email protection",
      "code signing",
      "any",
      "decipher only",
      "encipher only",
      "cert sign",
      "key agreement",
      "data encipherment",
    ],
  }),
];

const DELETED: readonly Scenario[] = [
  {
    name: "certificate-deleted-and-made-anew",
    run: async (kit) => {
      await ask(kit, { subject: USER });
      await kit.delete(CERTIFICATESIGNINGREQUESTS, `${kit.namespace}-r`);
      await ask(kit, { subject: [["CN", "bob"]] });
      await decide(kit, "Approved");
      await settled(kit);
      await tell(kit);
      await kit.merge(CONFIGMAPS, "outcome", { metadata: { labels: { anew: "true" } } });
    },
  },
];

export const CERTIFICATE_SCENARIOS: readonly Scenario[] = [
  ...OF_USERS,
  ...OF_KUBELETS,
  ...OF_OTHERS,
  ...LEFT_ALONE,
  ...OF_OLD_TIMES,
  ...DELETED,
];
