/** The largest and oddest requests for certificates that anybody could have stored, under a manager that goes on meanwhile. */
import { assert, assertEquals } from "@std/assert";
import { type CertificateSigningRequest, CERTIFICATESIGNINGREQUESTS } from "../../src/api/mod.ts";
import { TestCluster } from "../../src/testkit/test_cluster.ts";
import { der, natural, oid, sequence } from "../../src/x509/der_writer.ts";
import { pemText } from "../../src/x509/mod.ts";
import { ask, CLIENT, decide, settled } from "../scenarios/certificate_kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";
import { requestPem } from "../scenarios/request_pem.ts";
import { keyPem, testAuthority } from "../unit/controllers/certificates/signing_rig.ts";

const MEGABYTE = 1_000_000;
const PEM = await requestPem({ subject: [["CN", "x"]] });
const bytes = (length: number, value: number) => new Uint8Array(length).fill(value);
const asPem = (body: Uint8Array<ArrayBuffer>) => pemText({ type: "CERTIFICATE REQUEST", bytes: body });

/** A request whose key has this modulus; its signature is as long. */
function ofKey(modulus: Uint8Array): string {
  const RSA = "2a864886f70d010101";
  const key = sequence(natural(modulus), natural(new Uint8Array([1, 0, 1])));
  const bits = (content: Uint8Array) => der(3, new Uint8Array(1), content);
  const info = sequence(sequence(oid(RSA), der(5)), bits(key));
  const body = sequence(natural(new Uint8Array(1)), sequence(), info, der(0xa0));
  const algorithm = sequence(oid("2a864886f70d01010b"), der(5));
  return asPem(sequence(body, algorithm, bits(bytes(modulus.length, 1))));
}

/** So many sets in a subject, each with one name. */
const subjectOf = (count: number) =>
  asPem(sequence(sequence(
    natural(new Uint8Array(1)),
    sequence(...Array.from({ length: count }, () => der(0x31, sequence(oid("550403"), der(0x0c, bytes(1, 65)))))),
  )));

const nested = (depth: number) => {
  const body = new Uint8Array(4 * depth);
  for (let i = 0; i < depth; i++) {
    const length = 4 * (depth - i - 1);
    body.set([0x30, 0x82, length >> 8, length & 0xff], 4 * i);
  }
  return asPem(body);
};

const BODIES: Readonly<Record<string, string>> = {
  "nothing": "",
  "a megabyte of zeros": "\0".repeat(MEGABYTE),
  "a megabyte of first lines": "-----BEGIN CERTIFICATE REQUEST-----\n".repeat(MEGABYTE / 36),
  "a megabyte of last lines": "\n-----END CERTIFICATE REQUEST-----".repeat(MEGABYTE / 35),
  "a megabyte of both": "-----BEGIN A-----\n-----END B-----\n".repeat(MEGABYTE / 35),
  "a megabyte of headers": PEM.replace("-----\n", `-----\n${"a: b\n".repeat(MEGABYTE / 5)}`),
  "a megabyte of spaces": PEM.replace("-----\n", `-----\n${" ".repeat(MEGABYTE)}`),
  "a megabyte of DER": asPem(bytes(700_000, 0x30)),
  "a request nested deeply": nested(16_000),
  "a subject of forty thousand names": subjectOf(40_000),
  "an object identifier of half a megabyte": asPem(sequence(sequence(), sequence(oid("81".repeat(500_000) + "01")))),
  "a key of 16,384 bits": ofKey(bytes(2048, 0xff)),
  "a key of a million bits": ofKey(bytes(125_000, 0xff)),
  "a key of five million bits": ofKey(bytes(600_000, 0xff)),
  "a modulus of zero": ofKey(bytes(256, 0)),
  "an even modulus": ofKey(bytes(256, 0xfe)),
};

Deno.test("requests of any body cost nobody else the certificate, nor are they tried in a hot loop", async () => {
  const startsAt = new Date();
  await using cluster = new TestCluster({
    nodes: 0,
    startsAt,
    flags: ["--cluster-signing-cert-file=/c", "--cluster-signing-key-file=/k"],
  });
  const authority = await testAuthority({ nowMs: startsAt.getTime() });
  cluster.world.fileContents.set("/c", authority.pem);
  cluster.world.fileContents.set("/k", await keyPem(authority));
  await cluster.start();
  const kit = kitOf(cluster, await cluster.namespace("bad"));
  const at = startsAt.toISOString().replace(/\.\d+Z/, "Z");
  const approved = { type: "Approved", status: "True", lastUpdateTime: at, lastTransitionTime: at };
  const signers = [CLIENT, "kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/legacy-unknown"];
  for (const [i, body] of Object.values(BODIES).entries()) {
    for (const [j, signerName] of signers.entries()) {
      const object: CertificateSigningRequest = {
        metadata: { name: `bad-${i}-${j}`, uid: `${i}-${j}`, creationTimestamp: at },
        spec: { request: btoa(body), signerName, usages: ["client auth", "digital signature"] },
        status: { conditions: j === 1 ? [] : [approved] },
      };
      cluster.apiServer.storeUnchecked(CERTIFICATESIGNINGREQUESTS, object);
    }
  }
  const before = cluster.managerWrites;
  await cluster.advance(60_000);
  await ask(kit, { subject: [["CN", "good"]] });
  await decide(kit, "Approved");
  await settled(kit);
  await cluster.advance(600_000);
  // One certificate, and leases.
  assert(cluster.managerWrites - before < 20, String(cluster.managerWrites - before));
  // Two are requests of the usual kind with much around them.
  const GOOD = ["bad-5-0", "bad-5-2", "bad-6-0", "bad-6-2", "bad-r"];
  const left = await kit.list(CERTIFICATESIGNINGREQUESTS);
  assertEquals(left.filter(({ status }) => status?.certificate).map(({ metadata }) => metadata?.name), GOOD);
});
