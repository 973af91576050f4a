/** Where a device is. Drivers' and devices' names have no slash in them. */
export interface DeviceAddress {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

/** One text for a device. */
export function deviceKey({ driver, pool, device }: DeviceAddress): string {
  return `${driver}/${pool}/${device}`;
}
