import { assertEquals } from "@std/assert";
import type { IPAddress, ServiceCIDR } from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import { addressHandler, cidrHandler } from "../../../../src/controllers/service_cidr/handlers.ts";
import { FakeInformer } from "../garbage_collector/fake_informer.ts";
import { address, cidr } from "./fixtures.ts";

/** Informers whose handlers queue, and what they have queued since it was last read. */
function setUp(...objects: ServiceCIDR[]) {
  const keys = new Set<string>();
  const queue = { add: (key: string) => void keys.add(key), addAfter: () => {} };
  const cidrs = new FakeInformer<ServiceCIDR>({ objects });
  const addresses = new FakeInformer<IPAddress>();
  const context = { queue, cidrs: cidrs.lister };
  cidrs.addEventHandler(cidrHandler(context));
  addresses.addEventHandler(addressHandler(context));
  const queued = () => {
    const now = [...keys].sort();
    keys.clear();
    return now;
  };
  queued();
  return { cidrs, addresses, queued };
}

const WIDE = cidr("wide", ["10.0.0.0/8"]);
const NARROW = cidr("narrow", ["10.1.0.0/16", "2001:db8::/64"]);
const OTHER = cidr("other", ["172.16.0.0/16", "2001:db8::/48"]);

Deno.test("cidrHandler queues a new ServiceCIDR and all that it overlaps", () => {
  const { cidrs, queued } = setUp(WIDE, NARROW, OTHER);
  cidrs.add(cidr("new", ["10.1.2.0/24"]));
  assertEquals(queued(), ["narrow", "new", "wide"]);
  cidrs.add(cidr("newer", ["0.0.0.0/0"]));
  assertEquals(queued(), ["narrow", "new", "newer", "other", "wide"]);
  cidrs.add(cidr("sixth", ["2001:db8:0:0:8000::/65"]));
  assertEquals(queued(), ["narrow", "other", "sixth"]);
});

Deno.test("cidrHandler queues one that changes or goes alone", () => {
  const { cidrs, queued } = setUp(WIDE, NARROW, OTHER);
  cidrs.update({ ...WIDE });
  assertEquals(queued(), ["wide"]);
  cidrs.delete(NARROW);
  assertEquals(queued(), ["narrow"]);
  cidrs.delete(new DeletedFinalStateUnknown<ServiceCIDR>("wide", undefined));
  assertEquals(queued(), ["wide"]);
});

Deno.test("cidrHandler queues a ServiceCIDR whose ranges cannot be read", () => {
  const { cidrs, queued } = setUp(WIDE);
  for (const cidrs_ of [[], ["10.0.0.0"], ["10.0.0.0/33"], ["x/8"], ["10.0.0.0/-1"], ["010.0.0.0/8"], ["::/129"]]) {
    cidrs.add(cidr("new", cidrs_));
    assertEquals(queued(), ["new"]);
  }
  cidrs.add({ metadata: { name: "new" } });
  assertEquals(queued(), ["new"]);
});

Deno.test("addressHandler queues the ServiceCIDRs that an address can be from when it comes or goes", () => {
  const { addresses, queued } = setUp(WIDE, NARROW, OTHER);
  const one = address("10.1.0.1");
  addresses.add(one);
  assertEquals(queued(), ["narrow", "wide"]);
  addresses.update({ ...one });
  assertEquals(queued(), []);
  addresses.delete(one);
  assertEquals(queued(), ["narrow", "wide"]);
  addresses.add(address("2001:db8::7"));
  assertEquals(queued(), ["narrow", "other"]);
  addresses.delete(new DeletedFinalStateUnknown("2001:db8::7", address("2001:db8::7")));
  assertEquals(queued(), ["narrow", "other"]);
});

Deno.test("addressHandler queues nothing for other addresses", () => {
  const { addresses, queued } = setUp(WIDE, NARROW, OTHER);
  addresses.add(address("192.168.0.1"));
  addresses.add(address("10.1.0.1", "somebody"));
  addresses.add({ ...address("10.1.0.2"), metadata: { name: "10.1.0.2" } });
  addresses.add(address("not-an-address"));
  addresses.add(address("2001:db8::"));
  addresses.delete(new DeletedFinalStateUnknown<IPAddress>("10.1.0.3", undefined));
  assertEquals(queued(), []);
  addresses.add(address("10.1.255.255")); // the narrow one's for broadcasts
  assertEquals(queued(), ["wide"]);
});
