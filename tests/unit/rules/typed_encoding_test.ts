import { assertEquals } from "@std/assert";
import { canonicalJson, fnv1_32 } from "../../../src/base/mod.ts";
import { encodePodTemplate } from "../../../src/rules/mod.ts";
import { type PodTemplateSpec, safeEncode } from "../../../src/api/mod.ts";
import { revisionVectors } from "./data/revision_vectors.ts";

const vectors = await revisionVectors();

Deno.test("encodePodTemplate and canonicalJson give the revision data of every vector", () => {
  for (const { name, template, data } of vectors) {
    const encoded = encodePodTemplate(template);
    assertEquals(canonicalJson({ spec: { template: { ...encoded as object, $patch: "replace" } } }), data, name);
  }
});

Deno.test("fnv1_32 and safeEncode give the StatefulSet hash of every vector", () => {
  for (const { name, data, statefulSetHash } of vectors) {
    for (const [count, hash] of Object.entries(statefulSetHash)) {
      assertEquals(safeEncode(String(fnv1_32(new TextEncoder().encode(data + count)))), hash, name);
    }
  }
});

function encodeSpec(spec: Record<string, unknown>): unknown {
  const encoded = encodePodTemplate({ spec } as unknown as PodTemplateSpec);
  return (encoded as { spec: unknown }).spec;
}

Deno.test("encodePodTemplate drops unknown fields and zero values that Go omits", () => {
  assertEquals(encodeSpec({ containers: [], invented: 1, hostNetwork: false, hostname: "", nodeSelector: {} }), {
    containers: [],
  });
});

Deno.test("encodePodTemplate keeps a pointer to a zero value", () => {
  const spec = { containers: [], terminationGracePeriodSeconds: 0, securityContext: {}, hostUsers: false };
  assertEquals(encodeSpec(spec), spec);
});

Deno.test("encodePodTemplate writes null for a nil list that Go always writes, and structs that are not pointers", () => {
  assertEquals(encodePodTemplate({}), { metadata: {}, spec: { containers: null } });
  assertEquals(encodeSpec({ containers: [{ name: "c" }], volumes: [{ name: "v", projected: {} }] }), {
    containers: [{ name: "c", resources: {} }],
    volumes: [{ name: "v", projected: { sources: null } }],
  });
});

Deno.test("encodePodTemplate flattens embedded structs and writes a divisor that was never set as 0", () => {
  const env = [{ name: "E", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } }];
  assertEquals(encodeSpec({ containers: [{ name: "c", env, livenessProbe: { httpGet: { port: 80 } } }] }), {
    containers: [{
      name: "c",
      env: [{ name: "E", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "0" } } }],
      livenessProbe: { httpGet: { port: 80 } },
      resources: {},
    }],
  });
});

Deno.test("encodePodTemplate drops a null creationTimestamp and writes quantities in canonical form", () => {
  const template: unknown = {
    metadata: { creationTimestamp: null },
    spec: { containers: [{ name: "c", resources: { limits: { cpu: "0.5", memory: 1024 } } }] },
  };
  assertEquals(encodePodTemplate(template as PodTemplateSpec), {
    metadata: {},
    spec: { containers: [{ name: "c", resources: { limits: { cpu: "500m", memory: "1024" } } }] },
  });
});
