/**
 * What an administrator does with ServiceCIDRs, on any server and under either manager. Each scenario has ranges of its own, since
 * they are played side by side and overlaps are what it is about; and it takes away what it has made.
 */
import {
  createAddress,
  createCidr,
  deleteAddress,
  deleteCidr,
  removeAddress,
  untilCidrsAreGone,
  untilCidrSays,
  untilDefaultIsReady,
} from "./service_cidr_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

/** Deletes a ServiceCIDR that an address keeps, and waits until it says so. */
async function block(kit: Kit, range: string, address: string): Promise<void> {
  await createCidr(kit, "a", [range]);
  await untilCidrSays(kit, "a", "True", "ready");
  await createAddress(kit, address);
  await deleteCidr(kit, "a");
  await untilCidrSays(kit, "a", "False", "blocked");
}

export const SERVICE_CIDR_SCENARIOS: readonly Scenario[] = [
  {
    name: "cidr-is-marked-and-goes",
    run: async (kit) => {
      await createCidr(kit, "a", ["10.101.0.0/24"]);
      await createCidr(kit, "b", ["10.101.1.0/24", "fd00:101::/112"]);
      await untilCidrSays(kit, "a", "True", "one-family");
      await untilCidrSays(kit, "b", "True", "two-families");
      for (const name of ["a", "b"]) await deleteCidr(kit, name);
      await untilCidrsAreGone(kit, "a", "b");
    },
  },
  {
    name: "cidr-of-the-api-server",
    run: async (kit) => await untilDefaultIsReady(kit),
  },
  {
    name: "cidr-is-kept-by-an-address",
    run: async (kit) => {
      await block(kit, "10.102.0.0/24", "10.102.0.7");
      await deleteAddress(kit, "10.102.0.7");
      await untilCidrsAreGone(kit, "a");
    },
  },
  {
    name: "cidr-is-kept-by-an-address-of-its-second-family",
    run: async (kit) => {
      await createCidr(kit, "a", ["10.103.0.0/24", "fd00:103::/112"]);
      await untilCidrSays(kit, "a", "True", "ready");
      await createAddress(kit, "fd00:103::ffff");
      await deleteCidr(kit, "a");
      await untilCidrSays(kit, "a", "False", "blocked");
      // A range of the other family does not help.
      await createCidr(kit, "b", ["10.103.0.0/16"]);
      await untilCidrSays(kit, "b", "True", "other");
      await untilCidrSays(kit, "a", "False", "still-blocked");
      await createCidr(kit, "c", ["fd00:103::/108"]);
      await untilCidrsAreGone(kit, "a");
      await removeAddress(kit, "fd00:103::ffff");
      for (const name of ["b", "c"]) await deleteCidr(kit, name);
      await untilCidrsAreGone(kit, "b", "c");
    },
  },
  {
    name: "cidr-is-freed-by-a-larger-one",
    run: async (kit) => {
      await block(kit, "10.104.0.0/24", "10.104.0.7");
      await createCidr(kit, "b", ["10.104.0.0/16"]);
      await untilCidrsAreGone(kit, "a");
      await removeAddress(kit, "10.104.0.7");
      await deleteCidr(kit, "b");
      await untilCidrsAreGone(kit, "b");
    },
  },
  {
    name: "cidr-is-freed-by-a-smaller-one-with-the-address",
    run: async (kit) => {
      await block(kit, "10.105.0.0/24", "10.105.0.7");
      await createCidr(kit, "b", ["10.105.0.0/28"]);
      await untilCidrsAreGone(kit, "a");
      await removeAddress(kit, "10.105.0.7");
      await deleteCidr(kit, "b");
      await untilCidrsAreGone(kit, "b");
    },
  },
  {
    name: "cidr-goes-if-another-has-the-same-range",
    run: async (kit) => {
      await createCidr(kit, "a", ["10.106.0.0/24"]);
      await createCidr(kit, "b", ["10.106.0.0/24"]);
      await createAddress(kit, "10.106.0.7");
      for (const name of ["a", "b"]) await untilCidrSays(kit, name, "True", name);
      await deleteCidr(kit, "a");
      await untilCidrsAreGone(kit, "a");
      await deleteCidr(kit, "b");
      await untilCidrSays(kit, "b", "False", "blocked");
      await deleteAddress(kit, "10.106.0.7");
      await untilCidrsAreGone(kit, "b");
    },
  },
  {
    name: "cidr-goes-whatever-users-have-made",
    run: async (kit) => {
      await createCidr(kit, "a", ["10.107.0.0/24"]);
      await untilCidrSays(kit, "a", "True", "ready");
      await createAddress(kit, "10.107.0.7", "somebody");
      await createAddress(kit, "10.107.0.0");
      await createAddress(kit, "10.107.0.255");
      await createAddress(kit, "10.107.1.1");
      await deleteCidr(kit, "a");
      await untilCidrsAreGone(kit, "a");
      for (const name of ["10.107.0.7", "10.107.0.0", "10.107.0.255", "10.107.1.1"]) await removeAddress(kit, name);
    },
  },
];
