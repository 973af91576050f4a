import { defineController } from "../running/mod.ts";

/** Gives each node a range of pod addresses. Not implemented yet. Upstream: `pkg/controller/nodeipam`. */
export const NODE_IPAM_CONTROLLER = defineController({
  name: "node-ipam-controller",
  aliases: ["nodeipam"],
  clientName: "node-controller",
  options: {
    serviceRanges: {
      flag: "service-cluster-ip-range",
      type: "string",
      default: "",
      help: "Ranges of Service addresses, two at most",
      configz: "NodeIPAMController.ServiceCIDR",
      objection: (ranges: string, flag: string) =>
        ranges.split(",").length > 2 ? `--${flag} can not contain more than two entries` : undefined,
    },
    secondaryRange: { fixed: "", configz: "NodeIPAMController.SecondaryServiceCIDR" },
    nodeCidrMaskSize: {
      flag: "node-cidr-mask-size",
      type: "int32",
      default: 0,
      help: "Bits of a node's range; 24 for IPv4 and 64 for IPv6 if 0",
      configz: "NodeIPAMController.NodeCIDRMaskSize",
    },
    nodeCidrMaskSizeIpv4: {
      flag: "node-cidr-mask-size-ipv4",
      type: "int32",
      default: 0,
      help: "The same for IPv4 in a cluster with both; 24 if 0",
      configz: "NodeIPAMController.NodeCIDRMaskSizeIPv4",
    },
    nodeCidrMaskSizeIpv6: {
      flag: "node-cidr-mask-size-ipv6",
      type: "int32",
      default: 0,
      help: "The same for IPv6 in a cluster with both; 64 if 0",
      configz: "NodeIPAMController.NodeCIDRMaskSizeIPv6",
    },
  },
});
