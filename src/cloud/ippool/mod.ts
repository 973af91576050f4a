/** Load-balancer addresses and an inventory of machines for clusters without a cloud. */
export { IPPOOL_PROVIDER } from "./factory.ts";
