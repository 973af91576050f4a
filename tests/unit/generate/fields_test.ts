import { assertEquals, assertStringIncludes } from "@std/assert";
import { renderFields } from "../../../.ci/generate/fields.ts";
import { goFieldsIn, parseGoStructs } from "../../../.ci/generate/go_structs.ts";

const SOURCE = [
  "type A struct {",
  '\t// a comment `json:"no"`',
  '\tOther `json:",inline" protobuf:"bytes,2,opt,name=other"`',
  '\tName *string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`',
  "}",
  "type Other struct {",
  '\tTypeMeta `json:",inline"`',
  '\tSize int `json:"size" protobuf:"varint,7,opt,name=size"`',
  "}",
].join("\n");

Deno.test("parseGoStructs reads names, types, options and numbers of fields", () => {
  assertEquals(parseGoStructs(SOURCE).get("A"), [
    { goName: "Other", name: "", type: "Other", options: ["inline"], numbers: ["2"] },
    { goName: "Name", name: "name", type: "*string", options: ["omitempty"], numbers: ["1"] },
  ]);
});

Deno.test("goFieldsIn finds a type's package, and gives the fields of what it embeds as its own", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/x/v1`, { recursive: true });
    await Deno.writeTextFile(`${folder}/x/v1/types.go`, SOURCE);
    const fields = goFieldsIn(new Map([["k8s.io/api", folder]]))("io.k8s.api.x.v1.A");
    const plain = { isPointer: false, omitsEmpty: false, omitsZero: false };
    assertEquals(fields, [
      { ...plain, name: "size", numbers: ["2", "7"] },
      { ...plain, name: "name", isPointer: true, omitsEmpty: true, numbers: ["1"] },
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("renderFields writes fields in Go's order, with what decides how they are written and merged", () => {
  const properties = {
    ports: { type: "array", items: { type: "string", enum: ["a", "b c"] }, "x-kubernetes-list-type": "set" },
    size: { type: "integer", format: "int32" },
    kind: { type: "string" },
  };
  const thing = { type: "object", properties };
  const text = renderFields(
    { "io.k8s.api.x.v1.Thing": thing, "io.k8s.api.x.v1.ThingList": thing, "io.k8s.api.x.v1alpha1.Thing": thing },
    () => [
      { name: "size", isPointer: true, omitsEmpty: true, omitsZero: false, numbers: ["2", "1"] },
      { name: "ports", isPointer: false, omitsEmpty: false, omitsZero: false, numbers: [] },
    ],
  );
  assertStringIncludes(
    text,
    `{\n  "x.v1.Thing": "kind:string size:int32:pointer,number=2.1 ports:[]string:always,set,enum=a|b~c",\n};`,
  );
});
