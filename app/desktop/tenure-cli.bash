# SPDX-License-Identifier: MIT
# bash completion for tenure-cli: commands and options as the program itself names them, so that it
# never lags behind.

# Those of the words that begin with what is typed, one a line.
_tenure_cli_offer()
{
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# First words of the lines on standard input, which a description follows.
_tenure_cli_names()
{
  sed -n 's/^ *\([a-z][a-z-]*\) .*/\1/p'
}

_tenure_cli()
{
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[1]}
  # "--strategy=gr" comes as three words.
  [ "$current" = "=" ] && current=""
  [ "$before" = "=" ] && before=${COMP_WORDS[COMP_CWORD-2]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    _tenure_cli_offer "$(tenure-cli --help | sed -n 's/^  \([a-z]\+\)  .*/\1/p')" "$current"
    return
  fi
  case $before in
    --strategy | --a-strategy | --b-strategy)
      _tenure_cli_offer "$(tenure-cli strategies | sed '/^Orders/,$d' | _tenure_cli_names)" "$current"
      return ;;
    --method)
      _tenure_cli_offer "$(tenure-cli strategies | sed '1,/^Orders/d' | _tenure_cli_names)" "$current"
      return ;;
    --time)
      _tenure_cli_offer "ticks clock" "$current"
      return ;;
    --format)
      _tenure_cli_offer "$(tenure-cli formats | _tenure_cli_names)" "$current"
      return ;;
  esac
  case $current in
    -*)
      _tenure_cli_offer "$(tenure-cli "$command" --help 2>/dev/null | sed -n 's/^ *\(-[a-zA-Z], \)\?\(--[a-z-]*=\?\).*/\2/p')" "$current"
      [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace ;;
    *)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  esac
}
complete -F _tenure_cli tenure-cli
