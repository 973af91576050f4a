import { assertEquals, assertThrows } from "@std/assert";
import { renderPodTemplate } from "../../../.ci/generate/pod_template.ts";

const CORE = `
type PodTemplateSpec struct {
	metav1.ObjectMeta \`json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"\`
	Spec PodSpec \`json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"\`
}

type PodSpec struct {
	Parts \`json:",inline"\`
	Containers []PodSpec \`json:"containers"\`
	Limits ResourceList \`json:"limits,omitempty"\`
	Since *metav1.Time \`json:"since,omitempty,omitzero"\`
}

type Parts struct {
}

type ResourceList map[ResourceName]resource.Quantity

type ResourceName string

type Unreached string
`;
const META = `
type ObjectMeta struct {
	UID types.UID \`json:"uid,omitempty"\`
	ManagedFields []ManagedFieldsEntry \`json:"managedFields,omitempty"\`
}

type ManagedFieldsEntry struct {
}
`;
const TYPES = `type UID string\n`;

Deno.test("renderPodTemplate writes every type that a pod template leads to, as Go's reflection prints it", () => {
  const text = renderPodTemplate({ core: CORE, meta: META, types: TYPES }, "v1.2.3");
  assertEquals(JSON.parse(text), {
    kubernetes: "v1.2.3",
    root: "v1.PodTemplateSpec",
    others: {
      "types.UID": "string",
      "v1.ResourceList": "map[v1.ResourceName]resource.Quantity",
      "v1.ResourceName": "string",
    },
    structs: {
      "v1.ObjectMeta": ["UID types.UID uid o", "ManagedFields []v1.ManagedFieldsEntry managedFields o"],
      "v1.Parts": [],
      "v1.PodSpec": [
        "Parts v1.Parts  i",
        "Containers []v1.PodSpec containers",
        "Limits v1.ResourceList limits o",
        "Since *v1.Time since o",
      ],
      "v1.PodTemplateSpec": ["ObjectMeta v1.ObjectMeta metadata o", "Spec v1.PodSpec spec o"],
    },
  });
});

Deno.test("renderPodTemplate refuses two types of one name, between which a table cannot distinguish", () => {
  const meta = `${META}\ntype Parts struct {\n}\n`;
  assertThrows(() => renderPodTemplate({ core: CORE, meta, types: TYPES }, "v1.2.3"), Error, "v1.Parts");
});
