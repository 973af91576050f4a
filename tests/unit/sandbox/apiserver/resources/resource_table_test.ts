import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { ResourceTable } from "../../../../../src/sandbox/apiserver/resources/resource_table.ts";
import type { ServedResource } from "../../../../../src/sandbox/apiserver/resources/served.ts";

/** A resource like a ConfigMap, elsewhere. */
function custom(table: ResourceTable, group: string, version: string, plural = "widgets"): ServedResource {
  const like = table.find("", "v1", "configmaps")!;
  return { ...like, group, version, plural, kind: "Widget", collection: `${plural}.${group}` };
}

Deno.test("ResourceTable: find finds a resource by group, version and plural", () => {
  const table = new ResourceTable(new Set());
  assertEquals(table.find("apps", "v1", "deployments")?.kind, "Deployment");
  for (
    const [group, version, plural] of [
      ["", "v1", "deployments"],
      ["apps", "v1beta1", "deployments"],
      ["apps", "v1", "Deployment"],
      ["apps", "v1", "deployment"],
      ["apps/v1", "", "deployments"],
      ["__proto__", "v1", "constructor"],
    ]
  ) assertEquals(table.find(group, version, plural), undefined, `${group} ${version} ${plural}`);
  for (const resource of table.all()) {
    assertStrictEquals(table.find(resource.group, resource.version, resource.plural), resource);
  }
  const [old, young] = [custom(table, "example.com", "v1"), custom(table, "example.com", "v2")];
  for (const resource of [old, young]) table.add(resource);
  assertStrictEquals(table.find("example.com", "v1", "widgets"), old);
  assertStrictEquals(table.find("example.com", "v2", "widgets"), young);
  table.removeCollection("widgets.example.com");
  assertEquals([table.find("example.com", "v1", "widgets"), table.find("example.com", "v2", "widgets")], [
    undefined,
    undefined,
  ]);
});

Deno.test("ResourceTable: `generation` changes whenever the table does, and `onChange` listeners are called", () => {
  const table = new ResourceTable(new Set());
  const seen: number[] = [];
  const stop = table.onChange(() => seen.push(table.generation));
  const start = table.generation;
  table.find("apps", "v1", "deployments");
  table.groups();
  table.removeCollection("nothing.example.com");
  assertEquals([seen, table.generation], [[], start]);
  table.add(custom(table, "example.com", "v1"));
  table.add(custom(table, "example.com", "v1")); // in its place
  table.removeCollection("widgets.example.com");
  assertEquals(seen, [start + 1, start + 2, start + 3]);
  stop();
  table.add(custom(table, "example.com", "v1"));
  assertEquals([seen.length, table.generation], [3, start + 4]);
});

Deno.test("ResourceTable: `groups` are in the order of discovery", () => {
  const table = new ResourceTable(new Set());
  for (const group of ["z.example.com", "a.example.com"]) {
    for (const version of ["v1alpha1", "v2", "v10", "v1beta1", "v1"]) table.add(custom(table, group, version));
  }
  const names = table.groups().map(({ group }) => group);
  // As kube-apiserver v1.36 lists them at /apis, behind the core group.
  assertEquals(names.slice(0, 8), [
    "apiregistration.k8s.io",
    "",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
  ]);
  assertEquals(names.slice(-2), ["a.example.com", "z.example.com"]);
  assertEquals(table.group("autoscaling")?.versions, ["v2", "v1"]);
  assertEquals(table.group("a.example.com")?.versions, ["v10", "v2", "v1", "v1beta1", "v1alpha1"]);
});

Deno.test("every path that an update cannot change leads to a field of its kind", () => {
  const gates = [
    "ClusterTrustBundle",
    "DRADeviceTaintRules",
    "DRAResourcePoolStatus",
    "GenericWorkload",
    "PodCertificateRequest",
    "StorageVersionAPI",
    "StorageVersionMigrator",
  ];
  const lost: string[] = [];
  let count = 0;
  for (const { collection, traits, struct, storageStruct } of new ResourceTable(new Set(gates)).all()) {
    for (const path of traits.immutable ?? []) {
      count++;
      let at = storageStruct ?? struct;
      for (const [i, name] of path.split(".").entries()) {
        const field = at?.fields.get(name);
        if (!field) lost.push(`${collection}: ${path}, at step ${i + 1}`);
        at = field?.type.kind === "struct" ? field.type.struct : undefined;
      }
    }
  }
  assertEquals(lost, []);
  assert(count > 30, `only ${count} paths were found`);
});
