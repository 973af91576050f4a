import { assertEquals, assertThrows } from "@std/assert";
import { decodeBase64 } from "@std/encoding/base64";
import { DecodeError, normalise } from "../../../../../src/sandbox/apiserver/schema/normalise.ts";
import { structOf, structOfKind } from "../../../../../src/sandbox/apiserver/schema/types.ts";
import { decodeProtobuf, readEnvelope } from "../../../../../src/sandbox/apiserver/protobuf/protobuf.ts";

/** Bodies that kubectl 1.36 sent. */
const DEPLOYMENT =
  "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErgBCh8KA3dlYhIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEoYBCAISDAoKCgNhcHAS" +
  "A3dlYhpsChwKABIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEkwSLgoFbmdpbngSBW5naW54KgAyCgoAEAAYUCIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIA" +
  "QgBKAFIAWABgAGgAggEAigEAmgEAwgEAIgIKACgAOAAaDAgAEAAYACAAKAA4ABoAIgA=";
const SECRET = "azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBcxIAGgAiACoAMgA4AEIAEgYKAWESAWIaABoAIgA=";
const QUOTA =
  "azhzAAoTCgJ2MRINUmVzb3VyY2VRdW90YRI0ChEKAXESABoAIgAqADIAOABCABIdCg4KA2NwdRIHCgUxNTAwbQoLCgRwb2RzEgMKATIaABoAIgA=";
const BUDGET =
  "azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSOgoRCgFiEgAaACIAKgAyADgAQgASGQoJCAEQABoDNTAlEgwKCgoDYXBwEgN3" +
  "ZWIaCggAGAAgACgAMAAaACIA";

function readObject(base64: string): object {
  const { apiVersion, kind, raw } = readEnvelope(decodeBase64(base64));
  const [version, group = ""] = apiVersion.split("/").reverse();
  const struct = structOfKind({ group, version }, kind)!;
  return { kind, ...normalise(decodeProtobuf(raw, struct), struct) };
}

Deno.test("decodeProtobuf reads what kubectl's typed commands send", () => {
  assertEquals(readObject(DEPLOYMENT), {
    kind: "Deployment",
    metadata: { name: "web", labels: { app: "web" } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: {
          containers: [{ name: "nginx", image: "nginx", ports: [{ containerPort: 80 }], resources: {} }],
        },
      },
      strategy: {},
    },
    status: {},
  });
  assertEquals(readObject(SECRET), { kind: "Secret", metadata: { name: "s" }, data: { a: "Yg==" } });
  assertEquals(readObject(QUOTA), {
    kind: "ResourceQuota",
    metadata: { name: "q" },
    spec: { hard: { cpu: "1500m", pods: "2" } },
    status: {},
  });
  const { spec } = readObject(BUDGET) as { spec?: unknown };
  assertEquals(spec, { minAvailable: "50%", selector: { matchLabels: { app: "web" } } });
});

Deno.test("decodeProtobuf refuses what is cut off or has no envelope", () => {
  const bytes = decodeBase64(DEPLOYMENT);
  assertThrows(() => readEnvelope(bytes.slice(4)), DecodeError);
  assertThrows(() => readEnvelope(bytes.slice(0, 40)), DecodeError);
});

Deno.test("decodeProtobuf refuses a number of more than ten bytes where the eleventh begins, however many there are", () => {
  const message = new Uint8Array(1_000_000).fill(0xff);
  assertThrows(() => decodeProtobuf(message, structOf("core.v1.Pod")!), DecodeError, "integer overflow");
});

Deno.test("decodeProtobuf refuses a floating-point number that has not eight bytes", () => {
  const maximum = [0x49, ...new Uint8Array(8)]; // JSONSchemaProps.maximum: 0
  const schema = structOf("apiextensions.v1.JSONSchemaProps")!;
  assertEquals(decodeProtobuf(new Uint8Array(maximum), schema), { maximum: 0 });
  const short = new Uint8Array([0x4d, 0, 0, 0, 0, ...maximum]);
  assertThrows(() => decodeProtobuf(short, schema), DecodeError, "wrong wire type");
});

Deno.test("decodeProtobuf reads embedded structs, whole 64-bit integers, and names where numbers could be", () => {
  const message = new Uint8Array([
    ...[0x0a, 0x01, 0x6b], // key: "k"
    ...[0x28, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], // tolerationSeconds: 2^63 - 1
  ]);
  const toleration = decodeProtobuf(message, structOf("core.v1.Toleration")!);
  assertEquals(JSON.stringify(toleration), '{"key":"k","tolerationSeconds":9223372036854775807}');
  const volume = new Uint8Array([0x0a, 0x01, 0x76, 0x12, 0x04, 0x12, 0x02, 0x0a, 0x00]); // name, then the embedded emptyDir
  assertEquals(decodeProtobuf(volume, structOf("core.v1.Volume")!), { name: "v", emptyDir: { medium: "" } });
});

Deno.test("decodeProtobuf reads schemas of definitions, and what may be a schema or something else", () => {
  const TEXT = [0x2a, 0x01, 0x74]; // type: "t"
  const message = new Uint8Array([
    ...TEXT,
    ...[0xc2, 0x01, 0x05, 0x0a, 0x03, ...TEXT], // items: a schema
    ...[0xf2, 0x01, 0x02, 0x08, 0x01], // additionalProperties: true
    ...[0x8a, 0x02, 0x07, 0x08, 0x00, 0x12, 0x03, ...TEXT], // additionalItems: a schema
    ...[0x82, 0x02, 0x08, 0x0a, 0x01, 0x61, 0x12, 0x03, 0x12, 0x01, 0x62], // dependencies: {a: ["b"]}
  ]);
  assertEquals(decodeProtobuf(message, structOf("apiextensions.v1.JSONSchemaProps")!), {
    type: "t",
    items: { type: "t" },
    additionalProperties: true,
    additionalItems: { type: "t" },
    dependencies: { a: ["b"] },
  });
});
