# Printed by svc completion powershell
# PowerShell completion for svc: put ". <path of this file>" into your $PROFILE.

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param([string] $current, $ast, [int] $cursor)
  $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursor } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  })
  if ($current -eq '' -or $words.Count -eq 0 -or $words[-1] -ne $current) { $words += $current }
  # Windows PowerShell drops empty arguments of programs.
  $typed = @($words | Select-Object -Skip 1 | ForEach-Object { if ($_ -eq '') { '""' } else { $_ } })
  if ($PSVersionTable.PSVersion.Major -ge 7) { $typed = @($words | Select-Object -Skip 1) }
  $lines = @(& $words[0] __complete -- @typed 2>$null)
  if ($lines.Count -eq 0) { return }
  $kind, $lead = $lines[0] -split "`t", 2
  $pairs = @($lines | Select-Object -Skip 1 | ForEach-Object { , @($_ -split "`t", 2) })
  if ($kind -ne 'values') {
    $text = $current.Substring($lead.Length)
    $pairs = @([System.Management.Automation.CompletionCompleters]::CompleteFilename($text) |
      Where-Object { $kind -eq 'files' -or $_.ResultType -eq 'ProviderContainer' } |
      ForEach-Object {
        $path = if ($_.CompletionText -match "^'(.*)'$") { $Matches[1] -replace "''", "'" } else { $_.CompletionText }
        if (-not $text.StartsWith('.')) { $path = $path -replace '^\.[\\/]', '' }
        , @($path, $_.ToolTip)
      })
  }
  foreach ($pair in $pairs) {
    $text = "$lead$($pair[0])"
    # Quote everything that PowerShell would not read as plain text: the names come from the service.
    $shown = if ($text -cmatch '^[\w./\\:=+,-]+$') { $text } else { "'" + ($text -replace "['\u2018-\u201b]", '$0$0') + "'" }
    $doc = if ($pair.Count -gt 1 -and $pair[1]) { $pair[1] } else { $text }
    [System.Management.Automation.CompletionResult]::new($shown, $text, 'ParameterValue', $doc)
  }
}
