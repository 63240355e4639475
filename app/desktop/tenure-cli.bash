# SPDX-License-Identifier: MIT
# bash completion for tenure-cli: commands and options as the program itself names them, so that it
# never lags behind.

_tenure_cli()
{
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[1]}
  # "--strategy=gr" comes as three words.
  [ "$current" = "=" ] && current=""
  [ "$before" = "=" ] && before=${COMP_WORDS[COMP_CWORD-2]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "$(tenure-cli --help | sed -n 's/^  \([a-z]\+\)  .*/\1/p')" -- "$current"))
    return
  fi
  case $before in
    --strategy)
      COMPREPLY=($(compgen -W "$(tenure-cli strategies | sed -n 's/^ *\([a-z][a-z-]*\)  .*/\1/p')" -- "$current"))
      return ;;
    --time)
      COMPREPLY=($(compgen -W "ticks clock" -- "$current"))
      return ;;
    --format)
      COMPREPLY=($(compgen -W "$(tenure-cli formats | sed -n 's/^ *\([a-z][a-z-]*\)  .*/\1/p')" -- "$current"))
      return ;;
  esac
  case $current in
    -*)
      COMPREPLY=($(compgen -W "$(tenure-cli "$command" --help 2>/dev/null | sed -n 's/^ *\(-[a-zA-Z], \)\?\(--[a-z-]*=\?\).*/\2/p')" -- "$current"))
      [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace ;;
    *)
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}
complete -F _tenure_cli tenure-cli
