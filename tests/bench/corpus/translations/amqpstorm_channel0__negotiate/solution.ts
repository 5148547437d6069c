function channel0_negotiate(server_value: number, client_value: number): number {
  const smaller = server_value < client_value ? server_value : client_value;
  return smaller === 0 ? client_value : smaller;
}
