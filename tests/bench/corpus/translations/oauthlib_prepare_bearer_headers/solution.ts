function prepare_bearer_headers(token: string, headers: { Authorization?: number | unknown[] | object | string | null } | null): { Authorization: string } {
  return { ...(headers ?? {}), Authorization: "Bearer " + token };
}
