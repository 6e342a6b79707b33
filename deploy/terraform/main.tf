# The catalog, the brake and the auto router of a gateway as infrastructure: what stands here is applied through the operator
# API, and again whenever it changes. What is changed at the gateway by other ways is not noticed, and what is taken away
# here stays there, models of the catalog apart. It needs curl 7.76 or later and no provider but Terraform's own. The
# operator token comes from the environment (TOLLGATE_ADMIN_TOKEN) and is never in the state. Accounts and keys are no
# infrastructure: a secret that is shown once does not belong in a state file.

terraform {
  required_version = ">= 1.4"
}

variable "gateway" {
  description = "The address of the gateway."
  type        = string
  default     = "http://127.0.0.1:4100"
}

variable "catalog" {
  description = "The file with providers, models and prices, as `tollgate apply` takes it, in JSON."
  type        = string
}

variable "brake" {
  description = "What the whole gateway may spend in a minute and in an hour, in USD."
  type        = object({ enabled = bool, minuteUsd = number, hourUsd = number })
  default     = { enabled = true, minuteUsd = 50, hourUsd = 500 }
}

variable "auto_router" {
  description = "Models of the auto router by table and tier, such as \"paid/simple\"."
  type        = map(object({ enabled = bool, models = list(string) }))
  default     = {}
}

locals {
  # Bodies go by the environment, so that no quote of theirs is read by the shell. One that begins with @ names a file,
  # because a variable holds 128 KiB at most. The token goes by the pipe, which no list of processes shows. An
  # answer is printed where it is a refusal: that to a catalog is the whole catalog.
  send = <<-EOT
    answer=$(printf 'Authorization: Bearer %s\n' "$TOLLGATE_ADMIN_TOKEN" |
      curl --silent --show-error --fail-with-body --request "$METHOD" "$GATEWAY$CALL" \
        --header @- --header 'Content-Type: application/json' --data-binary "$BODY") ||
      { printf '%s\n' "$answer"; exit 1; }
  EOT
}

# The whole catalog: what the file leaves out is removed, and the gateway keeps a revision to go back to.
resource "terraform_data" "catalog" {
  triggers_replace = [var.gateway, sha256(file(var.catalog))]

  provisioner "local-exec" {
    command     = local.send
    environment = { METHOD = "PUT", GATEWAY = var.gateway, CALL = "/admin/v1/config", BODY = "@${var.catalog}" }
    quiet       = true
  }
}

resource "terraform_data" "brake" {
  triggers_replace = [var.gateway, var.brake]

  provisioner "local-exec" {
    command     = local.send
    environment = { METHOD = "PATCH", GATEWAY = var.gateway, CALL = "/admin/v1/brake", BODY = jsonencode(var.brake) }
  }
}

# After the catalog: a tier may name only models that are there.
resource "terraform_data" "auto_router" {
  for_each         = var.auto_router
  triggers_replace = [var.gateway, each.value]
  depends_on       = [terraform_data.catalog]

  provisioner "local-exec" {
    command = local.send
    environment = {
      METHOD = "PATCH", GATEWAY = var.gateway, CALL = "/admin/v1/auto-router/${each.key}", BODY = jsonencode(each.value)
    }
  }
}
