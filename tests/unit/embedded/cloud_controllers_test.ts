import { assertEquals, assertThrows } from "@std/assert";
import { CloudControllers, clusterCidrs, splitFlags } from "../../../src/embedded/mod.ts";

const split = (...entries: string[]) => {
  const { managerFlags, controllers } = splitFlags(["--cluster-name=x", `--controllers=${entries.join(",")}`], true);
  return [managerFlags.slice(1).join(), controllers.join()];
};

Deno.test("splitFlags gives each manager what it knows of --controllers, and * to both", () => {
  assertEquals(split("*"), ["--controllers=*", "*"]);
  assertEquals(split("*", "-service", "-ttl"), ["--controllers=*,-ttl", "*,-service"]);
  assertEquals(split("cloud-node"), ["--controllers=-node-ipam-controller", "cloud-node"]);
  assertEquals(split("ttl"), ["--controllers=ttl", ""]);
  assertEquals(split("node-ipam-controller"), ["--controllers=node-ipam-controller", ""]);
});

Deno.test("splitFlags leaves flags alone that name no controllers, or where there is no cloud", () => {
  assertEquals(splitFlags(["--a=b"], true), { managerFlags: ["--a=b"], controllers: ["*"] });
  assertEquals(splitFlags(["--controllers=cloud-node"], false).managerFlags, ["--controllers=cloud-node"]);
});

Deno.test("CloudControllers are those that ask a cloud and that were asked for", () => {
  const names = (...controllers: string[]) =>
    new CloudControllers({ provider: "p", controllers, clusterCidrs: clusterCidrs("") }).names;
  assertEquals([...names("*")].sort(), [
    "cloud-node-controller",
    "cloud-node-lifecycle-controller",
    "node-route-controller",
    "service-lb-controller",
  ]);
  assertEquals(names("cloud-node"), ["cloud-node-controller"]);
  assertEquals(names(), []);
  assertThrows(() => names("nope"), Error, '"nope" is not in the list of known controllers');
});
