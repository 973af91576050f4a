import { assertEquals } from "@std/assert";
import { parseJson } from "../../../src/base/mod.ts";
import { type Container, type PodTemplateSpec } from "../../../src/api/mod.ts";
import { dumpPodTemplate, podTemplateHash } from "../../../src/rules/mod.ts";

interface Vectors {
  readonly templates: Readonly<Record<string, PodTemplateSpec>>;
  readonly vectors: readonly {
    readonly name: string;
    readonly collisionCount: number | null;
    readonly hash: string;
    readonly sha256OfHashedBytes: string;
  }[];
  readonly miniDump: string;
}

const here = (name: string) => new URL(`data/${name}`, import.meta.url);
const vectors = parseJson(await Deno.readTextFile(here("pod_template_hash_vectors.json"))) as Vectors;

Deno.test("podTemplateHash gives the hash of every vector", () => {
  for (const { name, collisionCount, hash } of vectors.vectors) {
    assertEquals(podTemplateHash(vectors.templates[name], collisionCount), hash, `${name} ${collisionCount}`);
  }
});

Deno.test("dumpPodTemplate gives the bytes of every vector without a collision count", async () => {
  assertEquals(dumpPodTemplate(vectors.templates.mini), vectors.miniDump);
  for (const { name, collisionCount, sha256OfHashedBytes } of vectors.vectors) {
    if (collisionCount !== null) continue;
    const bytes = new TextEncoder().encode(dumpPodTemplate(vectors.templates[name]));
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    assertEquals(digest.toHex(), sha256OfHashedBytes, name);
  }
});

/** The template of the hashes observed on a live cluster. */
function observed(app: string, image: string, extra: Partial<Container> = {}): PodTemplateSpec {
  return {
    metadata: { labels: { app } },
    spec: {
      containers: [{
        name: "c",
        image,
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
        ...extra,
      }],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 1,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
    },
  };
}

Deno.test("podTemplateHash gives the hashes that were observed on v1.36.2", () => {
  const ports = [{ name: "web", containerPort: 8080, protocol: "TCP" }];
  const resources = { limits: { cpu: "500m", memory: "64Mi" }, requests: { cpu: "250m" } };
  const cases: [PodTemplateSpec, string][] = [
    [observed("a", "nginx:1"), "7ddd567f67"],
    [observed("a", "nginx:2"), "579d9f476b"],
    [observed("a", "nginx:3"), "6788df6bc7"],
    [observed("a", "nginx:4"), "858447c7dd"],
    [observed("a", "nginx:5"), "5f6b8756c"],
    [observed("a", "nginx:404"), "5479dfdfb"],
    [observed("a", "nginx:1", { ports }), "d865b4868"],
    [observed("a", "nginx:1", { resources }), "fd9498df9"],
    [observed("bg", "nginx:1"), "58bd5899c9"],
    [observed("fg", "nginx:1"), "5849fdf78c"],
    [observed("or", "nginx:1"), "6854cdd89c"],
    [observed("d", "nginx:1"), "6f546bffb"],
    [observed("d", "nginx:2"), "56fcc6d5df"],
  ];
  const nodeSelector = observed("d", "nginx:2");
  nodeSelector.spec!.nodeSelector = { no: "where" };
  cases.push([nodeSelector, "6cb45dd666"]);
  for (const [template, hash] of cases) assertEquals(podTemplateHash(template), hash);
});

Deno.test("podTemplateHash tells an absent collision count from 0", () => {
  const template = observed("a", "nginx:1");
  assertEquals(podTemplateHash(template, undefined), podTemplateHash(template, null));
  assertEquals(podTemplateHash(template, 0) === podTemplateHash(template), false);
});

Deno.test("podTemplateHash sees every digit of a 64-bit integer", () => {
  const withSeconds = (seconds: string) =>
    parseJson(`{"spec":{"containers":[],"tolerations":[{"tolerationSeconds":${seconds}}]}}`) as PodTemplateSpec;
  assertEquals(dumpPodTemplate(withSeconds("9223372036854775807")).includes("(*int64)9223372036854775807"), true);
  const hashes = ["9223372036854775807", "9223372036854775806"].map((seconds) => podTemplateHash(withSeconds(seconds)));
  assertEquals(new Set(hashes).size, 2);
});

Deno.test("podTemplateHash does not tell empty lists and maps from absent ones, nor unknown fields", () => {
  const plain = observed("a", "nginx:1");
  const padded = observed("a", "nginx:1", { env: [], command: [] });
  padded.metadata!.annotations = {};
  const unknown: unknown = { ...padded, spec: { ...padded.spec, inventedIn137: true } };
  assertEquals(podTemplateHash(unknown as PodTemplateSpec), podTemplateHash(plain));
});
