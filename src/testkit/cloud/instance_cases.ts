import { labelValueErrors, type Node } from "../../api/mod.ts";
import { type InstanceMetadata, InstanceNotFoundError, NotImplementedError } from "../../cloud/mod.ts";
import type { InstanceTestbed } from "./testbed.ts";
import { expect, expectEqual, outcomeOf, type Trial } from "./trial.ts";

/** Test cases for machines, by name. */
export type InstanceCases = Readonly<
  Record<string, (trial: Trial, bed: InstanceTestbed) => Promise<void>>
>;

const ADDRESS_TYPES: readonly string[] = ["Hostname", "InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS"];

/** Matches what may be an IP address; a host name has other letters or a hyphen. */
const IP_ADDRESS = /^[\da-f:.]+$/i;

function nameOf({ metadata }: Node): string {
  return metadata?.name ?? "";
}

async function metadataOf({ provider, signal }: Trial, node: Node): Promise<InstanceMetadata> {
  const metadata = await provider.instances!.instanceMetadata(node, signal);
  expect(typeof metadata === "object" && metadata !== null, `instanceMetadata knows nothing of ${nameOf(node)}`);
  return metadata;
}

/** The node without its provider ID, as kubelets register it. */
function unnamed({ spec, ...node }: Node): Node {
  const { providerID: _providerID, ...rest } = spec ?? {};
  return { ...node, spec: rest };
}

function withId({ spec, ...node }: Node, providerID: string): Node {
  return { ...node, spec: { ...spec, providerID } };
}

export const INSTANCE_CASES: InstanceCases = {
  "a machine that runs exists, and is not stopped": async (trial, { running }) => {
    const { provider: { instances }, signal } = trial;
    expectEqual(await instances!.instanceExists(running, signal), true, "instanceExists of a machine that runs");
    const shutdown = await outcomeOf(instances!.instanceShutdown(running, signal));
    if (shutdown.error instanceof NotImplementedError) return;
    if (shutdown.error) throw shutdown.error;
    expectEqual(shutdown.value, false, "instanceShutdown of a machine that runs");
  },
  "a machine that is stopped exists": async ({ provider: { instances }, signal }, { stopped }) => {
    if (!stopped) return;
    expectEqual(await instances!.instanceExists(stopped, signal), true, "instanceExists of a stopped machine");
    expectEqual(await instances!.instanceShutdown(stopped, signal), true, "instanceShutdown of a stopped machine");
  },
  "a machine that is not there does not exist": async ({ provider: { instances }, signal }, { running, absent }) => {
    await instances!.instanceExists(running, signal); // some providers must have seen a machine before they report another as gone
    expectEqual(
      await instances!.instanceExists(absent, signal),
      false,
      "instanceExists of a machine that is not there",
    );
  },
  "of a machine that is not there nothing is made up": async ({ provider: { instances }, signal }, { absent }) => {
    const metadata = await outcomeOf(instances!.instanceMetadata(absent, signal));
    if (metadata.error) {
      expect(
        metadata.error instanceof InstanceNotFoundError,
        `instanceMetadata of a machine that is not there failed with ${metadata.error.name}: ${metadata.error.message}`,
      );
    } else {
      expectEqual(metadata.value, null, "instanceMetadata of a machine that is not there");
    }
    const shutdown = await outcomeOf(instances!.instanceShutdown(absent, signal));
    if (shutdown.error) {
      expect(
        shutdown.error instanceof InstanceNotFoundError || shutdown.error instanceof NotImplementedError,
        `instanceShutdown of a machine that is not there failed with ${shutdown.error.name}: ${shutdown.error.message}`,
      );
    } else {
      expectEqual(shutdown.value, false, "instanceShutdown of a machine that is not there");
    }
  },
  "what is promised of a machine is known": async (trial, { running, knows = ["providerID"] }) => {
    const metadata = await metadataOf(trial, running);
    for (const field of knows) {
      const value = metadata[field];
      const isEmpty = !value || (typeof value === "object" && Object.keys(value).length === 0);
      expect(!isEmpty, `instanceMetadata says nothing of ${field}`);
    }
  },
  "what is known of a machine can be written into its Node": async (trial, { running }) => {
    const { instanceType, zone, region, nodeAddresses = [], additionalLabels = {} } = await metadataOf(trial, running);
    for (const [field, value] of Object.entries({ instanceType, zone, region, ...additionalLabels })) {
      const problems = value === undefined ? [] : labelValueErrors(value);
      expect(
        problems.length === 0,
        `${field} is ${JSON.stringify(value)}, which is not a valid label value: ${problems[0]}`,
      );
    }
    for (const { type, address } of nodeAddresses) {
      expect(ADDRESS_TYPES.includes(type), `An address has the type ${JSON.stringify(type)}`);
      expect(
        type.endsWith("IP") ? IP_ADDRESS.test(address) : address !== "",
        `An address of type ${type} is ${JSON.stringify(address)}`,
      );
    }
  },
  "a machine's provider ID stays, and begins with the provider's name": async (trial, { running }) => {
    const { providerID } = await metadataOf(trial, running);
    if (!providerID) return;
    const prefix = `${trial.provider.name}://`;
    expect(
      providerID.startsWith(prefix) && providerID.length > prefix.length,
      `The provider ID is ${JSON.stringify(providerID)}, and must be ${prefix} with something behind it`,
    );
    expectEqual((await metadataOf(trial, running)).providerID, providerID, "The provider ID at the second time");
    expectEqual(
      (await metadataOf(trial, withId(running, providerID))).providerID,
      providerID,
      "That of a Node with it",
    );
  },
  "a machine is found by its name while its Node has no provider ID": async (trial, { running }) => {
    const { provider: { instances }, signal } = trial;
    const { providerID } = await metadataOf(trial, running);
    expectEqual(await instances!.instanceExists(unnamed(running), signal), true, "instanceExists by name");
    expectEqual((await metadataOf(trial, unnamed(running))).providerID, providerID, "The provider ID by name");
  },
  "a machine is found by its provider ID rather than by its name": async (trial, { running, absent }) => {
    const { providerID } = await metadataOf(trial, running);
    if (!providerID) return;
    const renamed = withId({ ...absent, metadata: { ...absent.metadata } }, providerID);
    const { instances } = trial.provider;
    expectEqual(await instances!.instanceExists(renamed, trial.signal), true, "instanceExists by provider ID");
  },
  "a provider ID that cannot be read does not mean that a machine is gone": async (trial, { running }) => {
    const { provider: { instances, name }, signal } = trial;
    for (const providerID of ["another-cloud://1", `${name}://`, "nonsense"]) {
      const { error, ...answer } = await outcomeOf(instances!.instanceExists(withId(running, providerID), signal));
      if (error) continue;
      expectEqual(
        answer,
        { value: true },
        `instanceExists of a Node with the provider ID ${JSON.stringify(providerID)}`,
      );
    }
  },
  "a call that is cut short does not say that a machine is gone": async (trial, { running }) => {
    const { instances } = trial.provider;
    const late = await trial.ends("instanceExists", instances!.instanceExists(running, AbortSignal.abort()));
    if (!late.error) expectEqual(late.value, true, "instanceExists whose signal had aborted");
    const stop = new AbortController();
    const call = instances!.instanceExists(running, stop.signal);
    stop.abort();
    const cut = await trial.ends("instanceExists", call);
    if (!cut.error) expectEqual(cut.value, true, "instanceExists whose signal aborted");
  },
};
